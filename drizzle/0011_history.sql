-- audio_data_history: the sums of the points that RAW_RETENTION removed, with the columns of audio_data_totals (0003).
--
-- It has a row for each minute with such points, and the sums of these rows for half hours and days, so that years are
-- read as fast as weeks. minutes: the length of the bucket, 1, 30 or 1440. minute_count: the minutes with a row in it.
--
-- It is data, not a rollup: nothing counts it again from points. Points of a day of history count beside it, and are
-- added to it when they leave. The order of the columns needs the least space: 65 MB a year.
CREATE TABLE IF NOT EXISTS audio_data_history (
	bucket timestamptz, level_sum bigint, power_sum float8, above_power_sum float8, minutes smallint,
	minute_count smallint NOT NULL, point_count int NOT NULL, level_count int NOT NULL, silence_count int NOT NULL,
	under_range int NOT NULL, clipped int NOT NULL, min_db real, max_db real, PRIMARY KEY (minutes, bucket));
-- history_retention: how long history is kept, and the points of days with too few of them to become history; an interval
-- or `off`. history_removed_until and history_waited: as removed_until and waited, for history. sparse_until: without
-- rollups, how far sparse days were looked at.
ALTER TABLE audio_data_refreshes ADD IF NOT EXISTS history_retention text NOT NULL DEFAULT '10 years',
	ADD IF NOT EXISTS history_removed_until timestamptz, ADD IF NOT EXISTS history_waited interval NOT NULL DEFAULT '0',
	ADD IF NOT EXISTS sparse_until timestamptz;

-- The days of an interval with history, as ranges in microseconds since 1970; null without any. Every statement of statistics
-- reads them, so this function keeps its plans.
CREATE OR REPLACE FUNCTION audio_data_history_days(since timestamptz, until timestamptz) RETURNS text
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = 'force_generic_plan' AS $$
BEGIN
	IF EXISTS (SELECT FROM audio_data_history WHERE minutes = 1440 AND bucket < until AND bucket > since - interval '24 hours') THEN
		RETURN (SELECT range_agg(int8range(micros, micros + 86400000000)) FROM (
			SELECT (extract(epoch FROM bucket) * 1000000)::int8 AS micros FROM audio_data_history
			WHERE minutes = 1440 AND bucket < until AND bucket > since - interval '24 hours') AS days);
	END IF;
	RETURN NULL;
END
$$;

-- Sums the half hours and days of history that an interval touches.
CREATE OR REPLACE FUNCTION audio_data_sum_history(since timestamptz, until timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
	part int := 1;
	whole int;
BEGIN
	FOREACH whole IN ARRAY ARRAY[30, 1440] LOOP
		DELETE FROM audio_data_history
		WHERE minutes = whole AND bucket >= audio_data_bucket(60 * whole, since) AND bucket < until;
		INSERT INTO audio_data_history
		SELECT audio_data_bucket(60 * whole, bucket), sum(level_sum), sum(power_sum), sum(above_power_sum), whole,
			sum(minute_count), sum(point_count), sum(level_count), sum(silence_count), sum(under_range), sum(clipped),
			min(min_db), max(max_db)
		FROM audio_data_history WHERE minutes = part AND bucket >= audio_data_bucket(60 * whole, since)
			AND bucket < audio_data_bucket(60 * whole, until - interval '1 microsecond') + make_interval(mins => whole)
		GROUP BY 1;
		part := whole;
	END LOOP;
END
$$;

-- Adds the points of whole minutes to history, and removes them from a plain table. A caller with a hypertable holds a lock
-- on their chunk, and drops it.
CREATE OR REPLACE FUNCTION audio_data_add_history(since timestamptz, until timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT SET plan_cache_mode = 'force_custom_plan' AS $$
BEGIN
	EXECUTE format($sql$
		WITH gone AS (%s WHERE "time" >= $1 AND "time" < $2 %s)
		INSERT INTO audio_data_history AS history
		SELECT audio_data_bucket(60, "time"), sum((rms_db::float8 * 4294967296)::bigint), sum(power(10::float8, rms_db::float8 / 10)),
			sum(power(10::float8, rms_db::float8 / 10)) FILTER (WHERE (rms_db::float8 * 10)::int > -500), 1, 1, count(*), count(rms_db),
			count(*) FILTER (WHERE is_silence), count(*) FILTER (WHERE (rms_db::float8 * 10)::int = -500),
			count(*) FILTER (WHERE (rms_db::float8 * 10)::int = 0), min(rms_db), max(rms_db)
		FROM gone GROUP BY 1
		ON CONFLICT (minutes, bucket) DO UPDATE SET
			level_sum = coalesce(history.level_sum + excluded.level_sum, history.level_sum, excluded.level_sum),
			power_sum = coalesce(history.power_sum + excluded.power_sum, history.power_sum, excluded.power_sum),
			above_power_sum = coalesce(history.above_power_sum + excluded.above_power_sum, history.above_power_sum,
				excluded.above_power_sum),
			point_count = history.point_count + excluded.point_count, level_count = history.level_count + excluded.level_count,
			silence_count = history.silence_count + excluded.silence_count,
			under_range = history.under_range + excluded.under_range, clipped = history.clipped + excluded.clipped,
			min_db = least(history.min_db, excluded.min_db), max_db = greatest(history.max_db, excluded.max_db) $sql$,
		CASE WHEN (SELECT is_hypertable FROM audio_data_refreshes) THEN 'SELECT * FROM audio_data' ELSE 'DELETE FROM audio_data' END,
		CASE WHEN (SELECT is_hypertable FROM audio_data_refreshes) THEN '' ELSE 'RETURNING *' END) USING since, until;
	PERFORM audio_data_sum_history(since, until);
END
$$;

-- Drops chunks of a hypertable with the rollups of their days. A day that reaches beyond them is counted again.
CREATE OR REPLACE FUNCTION audio_data_drop_chunks(since timestamptz, until timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	PERFORM audio_data_forget_days(audio_data_bucket(86400, since), until);
	EXECUTE format('SELECT %s.drop_chunks(''audio_data'', older_than => $2, newer_than => $1)',
		(SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'timescaledb')) USING since, until;
	DELETE FROM audio_data_chunks WHERE first >= since AND last <= until;
	INSERT INTO audio_data_notes SELECT audio_data_bucket(86400, edge), 86400, 'changed' FROM unnest(ARRAY[since, until]) AS edge
	WHERE edge > audio_data_bucket(86400, edge);
END
$$;

-- Turns the oldest points beyond raw_retention into history: a chunk of a hypertable, or some minutes of a day, so that no
-- statement waits long. The triggers note deletions, so queries read the points of that day until the last step, which
-- forgets the rollups and notes of the day. A sparse day without history stays as points: they need less space than its
-- minutes. Then removes the oldest day beyond history_retention: its history, or the points of a sparse day.
--
-- Returns 1; 0 if nothing is left to do; -1 if it waits; null if a refresh, a backup or a restore runs, others hold a lock, or
-- the server is a standby.
--
-- A wrong clock must not delete data. If, by the clock, over two days became due since the last removal, the removal
-- waits until the caller has run for another day.
CREATE OR REPLACE FUNCTION audio_data_remove_old(ran_seconds float8) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
	points_a_step constant int := 10000;
	a_day constant interval := '24 hours';
	setting audio_data_refreshes%ROWTYPE;
	passed interval;
	is_noted boolean;
	is_late boolean;
	is_history_late boolean;
	raw_kept timestamptz;
	history_kept timestamptz;
	point timestamptz;
	starts timestamptz;
	ends timestamptz;
	reached timestamptz;
	chunk_table text;
	dense int;
BEGIN
	-- the second lock is held while a backup or a restore runs
	IF pg_is_in_recovery() OR NOT pg_try_advisory_xact_lock(728110424, 'audio_data'::regclass::oid::int)
		OR NOT pg_try_advisory_xact_lock(728110427, 'audio_data'::regclass::oid::int) THEN
		RETURN NULL;
	END IF;
	SELECT * INTO setting FROM audio_data_refreshes;
	-- An old snapshot would miss points, and so would settings that hide the columnstore.
	IF current_setting('transaction_isolation') <> 'read committed' OR setting.is_hypertable
		AND 'off' IN (current_setting('timescaledb.enable_columnarscan', true),
			CASE current_setting('timescaledb.disable_load', true) WHEN 'on' THEN 'off' END) THEN
		RAISE EXCEPTION 'audio_data_remove_old() needs transaction_isolation ''read committed'', and TimescaleDB with its defaults';
	END IF;
	is_noted := coalesce(setting.noting = audio_data_noting(), false);
	-- Counts the shorter of the clock's time and the caller's, so several callers do not shorten the wait.
	passed := make_interval(secs => greatest(0, least(ran_seconds, 120, extract(epoch FROM now() - setting.waited_at))));
	raw_kept := now() - nullif(setting.raw_retention, 'off')::interval;
	history_kept := now() - nullif(setting.history_retention, 'off')::interval;
	history_kept := CASE WHEN raw_kept < history_kept THEN raw_kept ELSE history_kept END;

	-- Finds the oldest day or chunk that is not sparse, or already history. Of the rollups, only days that are not sparse
	-- have presence, and new points have notes.
	point := CASE WHEN NOT is_noted THEN setting.sparse_until END;
	WHILE raw_kept IS NOT NULL LOOP
		starts := coalesce(point, '4713-01-01Z BC');
		IF is_noted THEN
			-- The index of the points would first visit those just deleted.
			point := least((SELECT min(bucket) FROM audio_data_presence WHERE seconds = 60 AND bucket >= starts),
				(SELECT min(bucket) FROM audio_data_notes WHERE kind = 'changed' AND bucket >= starts),
				(SELECT min(history.bucket) FROM audio_data_history AS history JOIN audio_data_notes USING (bucket)
					WHERE minutes = 1440 AND kind = 'sparse' AND history.bucket >= starts));
		ELSE
			SELECT min("time") INTO point FROM audio_data WHERE "time" >= starts;
		END IF;
		ends := NULL;
		EXIT WHEN point IS NULL;
		IF setting.is_hypertable THEN
			SELECT range_start, range_end, format('%I.%I', chunk_schema, chunk_name)
			INTO starts, ends, chunk_table FROM timescaledb_information.chunks
			WHERE hypertable_schema = current_schema() AND hypertable_name = 'audio_data' AND range_end > point
			ORDER BY range_end LIMIT 1;
		ELSE
			starts := audio_data_bucket(86400, point);
			ends := starts + a_day;
		END IF;
		EXIT WHEN ends > raw_kept IS NOT FALSE
			OR EXISTS (SELECT FROM audio_data_history WHERE minutes = 1440 AND bucket > starts - a_day AND bucket < ends);
		dense := setting.sparse_below * extract(epoch FROM ends - starts) / 86400;
		EXIT WHEN (SELECT count(*) FROM (SELECT FROM audio_data WHERE "time" >= starts AND "time" < ends LIMIT dense) AS points) >= dense;
		point := ends;
		UPDATE audio_data_refreshes SET sparse_until = ends WHERE NOT is_noted;
	END LOOP;
	UPDATE audio_data_refreshes SET sparse_until = NULL WHERE is_noted AND sparse_until IS NOT NULL;
	UPDATE audio_data_refreshes SET removed_until = least(raw_kept, ends) WHERE removed_until IS NULL;
	UPDATE audio_data_refreshes SET waited_at = now(), waited = waited + passed
	WHERE raw_kept > removed_until + 2 * a_day RETURNING waited < a_day INTO is_late;
	IF ends > raw_kept IS NOT FALSE THEN
		UPDATE audio_data_refreshes SET removed_until = raw_kept, waited = '0' WHERE is_late IS NOT TRUE;
	ELSIF is_late IS NOT TRUE AND setting.is_hypertable THEN
		EXECUTE format('LOCK TABLE %s IN SHARE MODE', chunk_table);
		PERFORM audio_data_add_history(starts, ends);
		PERFORM audio_data_drop_chunks(starts, ends);
		RETURN 1;
	ELSIF is_late IS NOT TRUE THEN
		point := coalesce((SELECT max(bucket) + interval '1 minute' FROM audio_data_history
			WHERE minutes = 1 AND bucket >= starts AND bucket < ends), starts);
		SELECT "time" INTO reached FROM audio_data WHERE "time" >= point AND "time" < ends
		ORDER BY "time" OFFSET points_a_step - 1 LIMIT 1;
		IF NOT FOUND THEN
			point := starts;
			SELECT "time" INTO reached FROM audio_data WHERE "time" >= point AND "time" < ends
			ORDER BY "time" OFFSET points_a_step - 1 LIMIT 1;
		END IF;
		IF NOT FOUND THEN
			PERFORM audio_data_forget_days(starts, ends);
		ELSE
			-- whole minutes, at least one with points
			ends := audio_data_bucket(60, reached);
			IF NOT EXISTS (SELECT FROM audio_data WHERE "time" >= point AND "time" < ends) THEN
				ends := ends + interval '1 minute';
			END IF;
		END IF;
		PERFORM audio_data_add_history(point, ends);
		RETURN 1;
	END IF;

	-- The oldest day of history, or of points that are too few to become history.
	starts := (SELECT min(bucket) FROM audio_data_history WHERE minutes = 1440);
	reached := NULL;
	IF raw_kept IS NOT NULL AND setting.is_hypertable THEN
		SELECT range_start, range_end INTO point, reached FROM timescaledb_information.chunks
		WHERE hypertable_schema = current_schema() AND hypertable_name = 'audio_data' ORDER BY range_end LIMIT 1;
	ELSIF raw_kept IS NOT NULL THEN
		starts := least(starts, audio_data_bucket(86400, CASE WHEN is_noted
			THEN (SELECT min(bucket) FROM audio_data_totals WHERE seconds = 86400)
			ELSE (SELECT min("time") FROM audio_data WHERE "time" >= '4713-01-01Z BC') END));
	END IF;
	ends := least(starts + a_day, reached);
	UPDATE audio_data_refreshes SET history_removed_until = least(history_kept, ends) WHERE history_removed_until IS NULL;
	UPDATE audio_data_refreshes SET waited_at = now(), history_waited = history_waited + passed
	WHERE history_kept > history_removed_until + 2 * a_day RETURNING history_waited < a_day INTO is_history_late;
	IF ends > history_kept IS NOT FALSE THEN
		UPDATE audio_data_refreshes SET history_removed_until = history_kept, history_waited = '0' WHERE is_history_late IS NOT TRUE;
		RETURN CASE WHEN is_late THEN -1 ELSE 0 END;
	ELSIF is_history_late THEN
		RETURN -1;
	ELSIF reached <= history_kept THEN
		PERFORM audio_data_drop_chunks(point, reached);
	ELSIF raw_kept IS NOT NULL AND NOT setting.is_hypertable THEN
		PERFORM audio_data_forget_days(starts, ends);
		DELETE FROM audio_data WHERE "time" >= starts AND "time" < ends;
	END IF;
	ends := audio_data_bucket(86400, ends);
	DELETE FROM audio_data_history WHERE minutes IN (1, 30, 1440) AND bucket < ends;
	DELETE FROM audio_data_overload WHERE minute < ends;
	RETURN 1;
EXCEPTION WHEN lock_not_available THEN
	RETURN NULL;
END
$$;
DO $$
DECLARE
	reader text;
BEGIN
	FOR reader IN
		SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END FROM pg_class, aclexplode(relacl)
		WHERE pg_class.oid = 'audio_data'::regclass AND privilege_type = 'SELECT' AND grantee <> relowner
	LOOP
		EXECUTE format('GRANT SELECT ON audio_data_history TO %s', reader);
	END LOOP;
END
$$;
