-- Rollups without TimescaleDB: tables, and a log of what has changed since they were stored.
--
-- audio_data_total_*, audio_data_histogram_*, audio_data_band_*, audio_data_presence_1m: as the continuous aggregates
-- of the same names (0003). A bucket without a row has no points.
--
-- audio_data_changes: each transaction that changes points notes their minutes here (is_stored false). A refresh
-- takes notes away, stores the buckets of up to half an hour anew, and notes the half hours (is_stored true), which it
-- takes away when it stores the longer buckets, after the end of the day. So in every snapshot a bucket is either
-- noted, or what the points give: a transaction that commits later has notes of its own.
--
-- audio_data_refreshes: what notes the changes, as the last refresh saw it. What is otherwise may have missed some.
DO $$
DECLARE
	rollup record;
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) = 'on' THEN
		RETURN;
	END IF;

	EXECUTE 'CREATE TABLE audio_data_changes (bucket timestamptz NOT NULL, is_stored boolean NOT NULL DEFAULT false)';
	EXECUTE 'CREATE INDEX ON audio_data_changes (bucket) WHERE NOT is_stored';
	EXECUTE 'CREATE TABLE audio_data_refreshes (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), noting text,
		five_minutes_since timestamptz NOT NULL)';
	EXECUTE 'INSERT INTO audio_data_refreshes VALUES (true, NULL, ''infinity'')';
	EXECUTE 'CREATE TABLE audio_data_rollups (name text PRIMARY KEY, key text NOT NULL, width interval NOT NULL)';

	FOR rollup IN
		SELECT format('audio_data_%s_%s', key, resolution) AS name, key, width::interval
		FROM (VALUES
			('total', '1m', '1 minute'), ('total', '2m', '2 minutes'), ('total', '5m', '5 minutes'),
			('total', '10m', '10 minutes'), ('total', '15m', '15 minutes'), ('total', '30m', '30 minutes'),
			('total', '1h', '1 hour'), ('total', '2h', '2 hours'), ('total', '3h', '3 hours'), ('total', '6h', '6 hours'),
			('total', '12h', '12 hours'), ('total', '1d', '24 hours'),
			('histogram', '5m', '5 minutes'), ('histogram', '30m', '30 minutes'), ('histogram', '1d', '24 hours'),
			('band', '5m', '5 minutes'), ('band', '1h', '1 hour'),
			('presence', '1m', '1 minute')
		) AS rollups (key, resolution, width)
	LOOP
		EXECUTE format('CREATE TABLE %I (bucket timestamptz NOT NULL, %s)', rollup.name, CASE rollup.key
			WHEN 'band' THEN 'band int, point_count int NOT NULL'
			WHEN 'presence' THEN 'seconds bigint NOT NULL'
			ELSE 'point_count bigint NOT NULL, level_count bigint NOT NULL, level_sum numeric, min_db real, max_db real, '
				|| 'power_sum float8, silence_count bigint NOT NULL, '
				|| CASE rollup.key
					WHEN 'total' THEN 'dominant_frequency_hz int'
					ELSE 'counted_at bigint NOT NULL, levels int[], frequencies int[]'
				END
		END);
		EXECUTE format('CREATE INDEX ON %I (bucket)', rollup.name);
		EXECUTE 'INSERT INTO audio_data_rollups VALUES ($1, $2, $3)' USING rollup.name, rollup.key, rollup.width;
	END LOOP;

	-- The start of the bucket that holds a time, in any time zone.
	EXECUTE $sql$
		CREATE FUNCTION audio_data_bucket(width interval, "time" timestamptz) RETURNS timestamptz
		LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$ SELECT date_bin($1, $2, '1970-01-01T00:00:00Z'::timestamptz) $body$
	$sql$;

	-- Of times that nothing can ask for, nothing is noted: the arithmetic of their buckets fails.
	EXECUTE format($sql$
		CREATE FUNCTION audio_data_note_changes() RETURNS trigger
		LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp AS $body$
		DECLARE
			first constant timestamptz := '4713-01-01Z BC';
			last constant timestamptz := '294000-01-01Z';
		BEGIN
			IF TG_RELID <> 'audio_data'::regclass THEN
				RAISE EXCEPTION 'audio_data_note_changes() is for audio_data';
			ELSIF TG_OP = 'INSERT' THEN
				INSERT INTO audio_data_changes
				SELECT DISTINCT audio_data_bucket(interval '1 minute', "time") FROM new_points WHERE "time" BETWEEN first AND last;
			ELSIF TG_OP = 'DELETE' THEN
				INSERT INTO audio_data_changes
				SELECT DISTINCT audio_data_bucket(interval '1 minute', "time") FROM old_points WHERE "time" BETWEEN first AND last;
			ELSE
				INSERT INTO audio_data_changes
				SELECT audio_data_bucket(interval '1 minute', "time") FROM new_points WHERE "time" BETWEEN first AND last
				UNION
				SELECT audio_data_bucket(interval '1 minute', "time") FROM old_points WHERE "time" BETWEEN first AND last;
			END IF;
			RETURN NULL;
		END
		$body$
	$sql$, current_schema());
	EXECUTE 'REVOKE EXECUTE ON FUNCTION audio_data_note_changes() FROM PUBLIC';
	EXECUTE 'CREATE TRIGGER audio_data_note_insert AFTER INSERT ON audio_data
		REFERENCING NEW TABLE AS new_points FOR EACH STATEMENT EXECUTE FUNCTION audio_data_note_changes()';
	EXECUTE 'CREATE TRIGGER audio_data_note_update AFTER UPDATE ON audio_data
		REFERENCING OLD TABLE AS old_points NEW TABLE AS new_points FOR EACH STATEMENT EXECUTE FUNCTION audio_data_note_changes()';
	EXECUTE 'CREATE TRIGGER audio_data_note_delete AFTER DELETE ON audio_data
		REFERENCING OLD TABLE AS old_points FOR EACH STATEMENT EXECUTE FUNCTION audio_data_note_changes()';
	-- also in sessions of the role replica, in which many tools load data
	EXECUTE 'ALTER TABLE audio_data ENABLE ALWAYS TRIGGER audio_data_note_insert,
		ENABLE ALWAYS TRIGGER audio_data_note_update, ENABLE ALWAYS TRIGGER audio_data_note_delete';

	-- What notes the changes of the points, and since when: the triggers, and the file of the table, which TRUNCATE and
	-- ALTER TABLE replace. Null where changes can go unnoted: a trigger is off; points come by logical replication,
	-- which fires no such trigger, or lie in tables that inherit; a crash may empty the table; or roles see some only.
	EXECUTE $sql$
		CREATE FUNCTION audio_data_noting() RETURNS text LANGUAGE sql STABLE AS $body$
			SELECT CASE WHEN count(*) = 3 THEN
				string_agg(tgname || ' ' || pg_trigger.xmin, ',' ORDER BY tgname) || ',' || min(relfilenode::bigint) END
			FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
			WHERE tgrelid = 'audio_data'::regclass AND tgenabled = 'A'
				AND tgname IN ('audio_data_note_insert', 'audio_data_note_update', 'audio_data_note_delete')
				AND relpersistence = 'p' AND NOT relrowsecurity
				AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = tgrelid)
				AND NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = tgrelid)
		$body$
	$sql$;

	-- What an answer from rollups depends on, as the statement that calls it sees it. See 0003: chunks has no meaning here.
	EXECUTE $sql$
		CREATE FUNCTION audio_data_rollup_state(with_fresh boolean, OUT fresh json, OUT chunks text)
		LANGUAGE plpgsql STABLE AS $body$
		BEGIN
			IF NOT with_fresh THEN
				RETURN;
			END IF;
			-- so many are stored soon; to read them takes longer than to read the points
			IF (SELECT count(*) FROM (SELECT FROM audio_data_changes LIMIT 100001) AS changes) > 100000 THEN
				fresh := '{}';
				RETURN;
			END IF;
			WITH note AS (
				SELECT is_stored, (extract(epoch FROM bucket) * 1000000)::bigint AS start
				FROM (SELECT DISTINCT bucket, is_stored FROM audio_data_changes) AS changes
			),
			noted AS (
				SELECT coalesce(range_agg(int8range(start, start + 60000000)) FILTER (WHERE NOT is_stored), '{}') AS changed,
					coalesce(range_agg(int8range(start, start + 1800000000)) FILTER (WHERE is_stored), '{}') AS waiting
				FROM note
			),
			stored AS (
				SELECT five_minutes_since, CASE WHEN noting = audio_data_noting() THEN '{(,)}'::int8multirange
					ELSE '{}' END AS ranges
				FROM audio_data_refreshes
			)
			SELECT json_object_agg(name, ranges - changed
				- CASE WHEN width > '30 minutes' THEN waiting ELSE '{}' END
				- CASE WHEN name = 'audio_data_histogram_5m' AND isfinite(five_minutes_since)
					THEN int8multirange(int8range(NULL, (extract(epoch FROM five_minutes_since) * 1000000)::bigint)) ELSE '{}' END)
			INTO fresh
			FROM audio_data_rollups CROSS JOIN noted CROSS JOIN stored;
		END
		$body$
	$sql$;
END
$$;
--> statement-breakpoint
-- Stores what has changed in so many half hours, newest first; or, if there is nothing, the long buckets of a day that has ended.
-- Returns 1; 0 where nothing is left to do; null where another refresh runs, the server is a standby, or changes are
-- not noted.
DO $$
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) = 'on' THEN
		RETURN;
	END IF;
	EXECUTE format($sql$
		CREATE FUNCTION audio_data_refresh(half_hours int) RETURNS int
		LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, %1$I, pg_temp AS $body$
		DECLARE
			now_noting constant text := audio_data_noting();
			recent constant timestamptz := audio_data_bucket(interval '1 hour', now() - interval '48 hours');
			totals constant text := 'count(*) AS point_count, count(rms_db), sum((rms_db::float8 * 4294967296)::bigint),
				min(rms_db), max(rms_db), sum(power(10::float8, rms_db::float8 / 10)), count(*) FILTER (WHERE is_silence)';
			totals_of_totals constant text := 'sum(point_count)::bigint AS point_count, sum(level_count)::bigint,
				sum(level_sum), min(min_db), max(max_db), sum(power_sum), sum(silence_count)::bigint';
			counted_at constant text := '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
			points constant text := 'audio_data WHERE "time" >= bucket AND "time" < bucket + $2';
			shorter constant text := 'audio_data_histogram_30m AS shorter WHERE shorter.bucket >= whole AND shorter.bucket < whole + $2';
			newest timestamptz;
			minutes timestamptz[];
			buckets timestamptz[];
			since timestamptz;
			day timestamptz;
			rollup record;
		BEGIN
			IF pg_is_in_recovery() OR NOT pg_try_advisory_xact_lock(7281104224) THEN
				RETURN NULL;
			END IF;
			IF now_noting IS NULL THEN
				UPDATE audio_data_refreshes SET noting = NULL WHERE noting IS NOT NULL;
				DELETE FROM audio_data_changes;
				RETURN NULL;
			END IF;

			IF now_noting IS DISTINCT FROM (SELECT noting FROM audio_data_refreshes) THEN
				-- changes may have been missed: everything anew
				FOR rollup IN SELECT name FROM audio_data_rollups LOOP
					EXECUTE format('DELETE FROM %%I', rollup.name);
				END LOOP;
				DELETE FROM audio_data_changes;
				-- from one half hour that has points to the next, by the index
				INSERT INTO audio_data_changes
				WITH RECURSIVE half (start) AS (
					SELECT audio_data_bucket(interval '30 minutes', min("time")) FROM audio_data WHERE "time" >= '4713-01-01Z BC'
					UNION ALL
					SELECT (SELECT audio_data_bucket(interval '30 minutes', min("time")) FROM audio_data
						WHERE "time" >= start + interval '30 minutes')
					FROM half WHERE start < '294000-01-01Z'
				)
				SELECT start + n * interval '1 minute' FROM half, generate_series(0, 29) AS n WHERE start < '294000-01-01Z';
				UPDATE audio_data_refreshes SET noting = now_noting, five_minutes_since = recent;
				RETURN 1;
			END IF;

			UPDATE audio_data_refreshes SET five_minutes_since = recent WHERE five_minutes_since < recent;
			IF FOUND THEN
				DELETE FROM audio_data_histogram_5m WHERE bucket < recent;
			END IF;
			SELECT five_minutes_since INTO since FROM audio_data_refreshes;

			SELECT max(bucket) INTO newest FROM audio_data_changes WHERE NOT is_stored;
			IF newest IS NOT NULL THEN
				newest := audio_data_bucket(interval '30 minutes', newest) + interval '30 minutes';
				WITH taken AS (
					DELETE FROM audio_data_changes
					WHERE NOT is_stored AND bucket >= newest - half_hours * interval '30 minutes' AND bucket < newest
					RETURNING bucket
				)
				SELECT array_agg(DISTINCT bucket) INTO minutes FROM taken;
				FOR rollup IN SELECT * FROM audio_data_rollups WHERE width <= '30 minutes' LOOP
					buckets := ARRAY(
						SELECT DISTINCT bucket FROM unnest(minutes) AS minute, audio_data_bucket(rollup.width, minute) AS bucket
						WHERE rollup.name <> 'audio_data_histogram_5m' OR bucket >= since);
					EXECUTE format('DELETE FROM %%I WHERE bucket = ANY ($1)', rollup.name) USING buckets;
					EXECUTE format('INSERT INTO %%I SELECT bucket, part.* FROM unnest($1) AS bucket CROSS JOIN LATERAL (%%s) AS part',
						rollup.name, CASE rollup.key
							WHEN 'total' THEN 'SELECT ' || totals || ', mode() WITHIN GROUP (ORDER BY frequency_hz) FROM ' || points
								|| ' HAVING count(*) > 0'
							WHEN 'histogram' THEN 'WITH points AS MATERIALIZED (SELECT rms_db, frequency_hz, is_silence FROM ' || points || ')
								SELECT ' || totals || ', ' || counted_at || ',
									(SELECT array_agg(coalesce(n, 0) ORDER BY value) FROM generate_series(-501, 1) AS value LEFT JOIN (
										SELECT (rms_db::float8 * 10)::int AS value, count(*)::int AS n FROM points GROUP BY 1) AS counted USING (value)),
									(SELECT array_agg(coalesce(n, 0) ORDER BY value) FROM generate_series(99, 8001) AS value LEFT JOIN (
										SELECT frequency_hz AS value, count(*)::int AS n FROM points GROUP BY 1) AS counted USING (value))
								FROM points HAVING count(*) > 0'
							WHEN 'band' THEN 'SELECT width_bucket(frequency_hz, array[113, 142, 178, 224, 282, 355, 447, 563, 708, 892,
								1123, 1413, 1779, 2239, 2819, 3549, 4467, 5624, 7080]), count(*)::int FROM ' || points || ' GROUP BY 1'
							ELSE 'SELECT bit_or(1::bigint << floor(extract(epoch FROM "time" - bucket))::int) FROM ' || points
								|| ' HAVING count(*) > 0'
						END) USING buckets, rollup.width;
				END LOOP;
				INSERT INTO audio_data_changes
				SELECT DISTINCT half, true
				FROM unnest(minutes) AS minute, audio_data_bucket(interval '30 minutes', minute) AS half
				WHERE NOT EXISTS (SELECT FROM audio_data_changes WHERE is_stored AND bucket = half);
				RETURN 1;
			END IF;

			SELECT max(audio_data_bucket(interval '24 hours', bucket)) INTO day FROM audio_data_changes
			WHERE is_stored AND audio_data_bucket(interval '24 hours', bucket) <= now() - interval '24 hours';
			IF day IS NULL THEN
				RETURN 0;
			END IF;
			DELETE FROM audio_data_changes WHERE is_stored AND audio_data_bucket(interval '24 hours', bucket) = day;
			FOR rollup IN SELECT * FROM audio_data_rollups WHERE width > '30 minutes' LOOP
				EXECUTE format('DELETE FROM %%I WHERE bucket >= $1 AND bucket < $1 + interval ''24 hours''', rollup.name) USING day;
				EXECUTE format('INSERT INTO %%I SELECT whole, part.*
					FROM generate_series($1, $1 + interval ''24 hours'' - $2, $2) AS whole CROSS JOIN LATERAL (%%s) AS part',
					rollup.name, CASE rollup.key
						WHEN 'total' THEN 'SELECT ' || totals_of_totals || ', (
							SELECT place + 98 FROM (SELECT frequencies FROM ' || shorter || ') AS stored,
								unnest(frequencies) WITH ORDINALITY AS counted (n, place)
							WHERE n > 0 GROUP BY place ORDER BY sum(n) DESC, place LIMIT 1)
							FROM ' || shorter || ' HAVING count(*) > 0'
						WHEN 'histogram' THEN 'SELECT ' || totals_of_totals || ', ' || counted_at || ',
							(SELECT array_agg(n ORDER BY place) FROM (SELECT place, sum(n)::int AS n
								FROM (SELECT levels FROM ' || shorter || ') AS stored, unnest(levels) WITH ORDINALITY AS counted (n, place)
								GROUP BY place) AS counted),
							(SELECT array_agg(n ORDER BY place) FROM (SELECT place, sum(n)::int AS n
								FROM (SELECT frequencies FROM ' || shorter || ') AS stored, unnest(frequencies) WITH ORDINALITY AS counted (n, place)
								GROUP BY place) AS counted)
							FROM ' || shorter || ' HAVING count(*) > 0'
						ELSE 'SELECT band, sum(point_count)::int FROM audio_data_band_5m AS shorter
							WHERE shorter.bucket >= whole AND shorter.bucket < whole + $2 GROUP BY band'
					END) USING day, rollup.width;
			END LOOP;
			RETURN 1;
		END
		$body$
	$sql$, current_schema());
	EXECUTE 'REVOKE EXECUTE ON FUNCTION audio_data_refresh(int) FROM PUBLIC';
END
$$;
