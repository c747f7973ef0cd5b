-- Without TimescaleDB the points need one index, on time: what is loud, and where gaps are, is found by the rollups of
-- minutes. And they leave after a while there too. On TimescaleDB the index on levels stays: in the columnstore it
-- takes nothing, and of days that are kept in rows it finds loud points in 2 ms, in place of 200.
--
-- Of each minute in audio_data_presence_1m, besides the seconds that have points:
--
-- first_at, last_at        its first and last point
-- gap_count, gap_micros    the stretches of a millisecond and more from point to point: how many, and their length
-- shortest, longest        of these, in microseconds
-- longest_count, longest_at  how many of them are that long, and where the first of those begins
-- second                   the longest of the others; null where there is none
--
-- A trigger measures it as a refresh stores the minute. What is stored without is stored anew.
DO $$
BEGIN
	IF to_regclass('audio_data_changes') IS NULL THEN
		RETURN;
	END IF;
	CREATE INDEX ON audio_data_total_1m (max_db, bucket);
	ALTER TABLE audio_data_presence_1m ADD first_at timestamptz, ADD last_at timestamptz, ADD gap_count int,
		ADD gap_micros int, ADD shortest int, ADD longest int, ADD longest_count int, ADD longest_at timestamptz,
		ADD second int;
	EXECUTE format($sql$
		CREATE FUNCTION audio_data_measure_gaps() RETURNS trigger LANGUAGE plpgsql AS $body$
		BEGIN
			WITH points AS (
				SELECT "time", lag("time") OVER back AS since,
					(extract(epoch FROM "time" - lag("time") OVER back) * 1000000)::int AS micros
				FROM %I.audio_data WHERE "time" >= NEW.bucket AND "time" < NEW.bucket + interval '1 minute'
				WINDOW back AS (ORDER BY "time")
			),
			gaps AS (SELECT "time", since, CASE WHEN micros >= 1000 THEN micros END AS micros FROM points),
			ends AS (SELECT max(micros) AS longest FROM gaps)
			SELECT min("time"), max("time"), count(micros), coalesce(sum(micros), 0), min(micros), max(micros),
				count(*) FILTER (WHERE micros = ends.longest), min(since) FILTER (WHERE micros = ends.longest),
				max(micros) FILTER (WHERE micros < ends.longest)
			INTO NEW.first_at, NEW.last_at, NEW.gap_count, NEW.gap_micros, NEW.shortest, NEW.longest, NEW.longest_count,
				NEW.longest_at, NEW.second
			FROM gaps CROSS JOIN ends;
			RETURN NEW;
		END
		$body$
	$sql$, current_schema());
	CREATE TRIGGER audio_data_measure_gaps BEFORE INSERT ON audio_data_presence_1m
		FOR EACH ROW EXECUTE FUNCTION audio_data_measure_gaps();
	UPDATE audio_data_refreshes SET noting = NULL;
END
$$;
--> statement-breakpoint
-- How long points are kept: an interval, off, or null as long as nobody has said. TimescaleDB has policies for it.
--
-- audio_data_remove_old() removes the oldest day that is older, in steps of some points, so that nobody waits for it
-- long. As with any change, the triggers note the minutes: they are read from the points until the last step, which
-- removes the rest of the day with its rollups and notes. What arrives meanwhile and later has notes of its own.
-- Returns 1; 0 where nothing is left to do; null where a refresh runs, or the server is a standby.
DO $$
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) = 'on' THEN
		RETURN;
	END IF;
	ALTER TABLE audio_data_refreshes ADD raw_retention text;
	EXECUTE format($sql$
		CREATE FUNCTION audio_data_remove_old() RETURNS int
		LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %I, pg_temp AS $body$
		DECLARE
			points_a_step constant int := 10000;
			kept interval;
			is_noted boolean;
			day timestamptz;
			day_end timestamptz;
			last timestamptz;
			rollup record;
		BEGIN
			IF pg_is_in_recovery() OR NOT pg_try_advisory_xact_lock(7281104224) THEN
				RETURN NULL;
			END IF;
			SELECT nullif(raw_retention, 'off')::interval, coalesce(noting = audio_data_noting(), false) INTO kept, is_noted
			FROM audio_data_refreshes;
			-- by the index of the points the way to the oldest leads past those that have just gone
			IF is_noted THEN
				SELECT least((SELECT min(bucket) FROM audio_data_total_1m), (SELECT min(bucket) FROM audio_data_changes)) INTO day;
			ELSE
				SELECT min("time") INTO day FROM audio_data WHERE "time" >= '4713-01-01Z BC';
			END IF;
			day := audio_data_bucket(interval '24 hours', day);
			day_end := day + interval '24 hours';
			IF day_end > now() - kept IS NOT FALSE THEN
				RETURN 0;
			END IF;
			SELECT "time" INTO last FROM audio_data WHERE "time" >= day AND "time" < day_end
			ORDER BY "time" OFFSET points_a_step - 1 LIMIT 1;
			IF FOUND THEN
				DELETE FROM audio_data WHERE "time" >= day AND "time" <= last;
				RETURN 1;
			END IF;
			-- the notes first: whose point is not seen by the next statement keeps its note
			DELETE FROM audio_data_changes WHERE bucket >= day AND bucket < day_end;
			DELETE FROM audio_data WHERE "time" >= day AND "time" < day_end;
			FOR rollup IN SELECT name FROM audio_data_rollups LOOP
				EXECUTE format('DELETE FROM %%I WHERE bucket >= $1 AND bucket < $2', rollup.name) USING day, day_end;
			END LOOP;
			RETURN 1;
		END
		$body$
	$sql$, current_schema());
	REVOKE EXECUTE ON FUNCTION audio_data_remove_old() FROM PUBLIC;
END
$$;
--> statement-breakpoint
-- The index on time becomes ascending: where each new point is the first, its pages stay half empty. Whoever reads
-- waits for the last statements of this migration alone, so they come last.
DO $$
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) = 'on' THEN
		RETURN;
	END IF;
	ALTER TABLE audio_data ALTER COLUMN rms_db SET STATISTICS -1;
	-- a day of a month is 3 %: its space is used again at once
	ALTER TABLE audio_data SET (autovacuum_vacuum_scale_factor = 0.02);
	IF pg_get_indexdef(to_regclass('audio_data_time_idx')) LIKE '%("time" DESC)' THEN
		CREATE INDEX audio_data_ascending_idx ON audio_data ("time");
		DROP INDEX audio_data_time_idx;
		ALTER INDEX audio_data_ascending_idx RENAME TO audio_data_time_idx;
	END IF;
	DROP INDEX IF EXISTS audio_data_level_idx;
END
$$;
