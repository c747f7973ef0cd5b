-- Recorders report corrections of the clock in their logs.
DROP TABLE IF EXISTS audio_data_clock;

-- As in 0006, without the corrections.
CREATE OR REPLACE FUNCTION audio_data_remove_old(ran_seconds float8) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET timezone = 'UTC' AS $$
DECLARE
	points_a_step constant int := 10000;
	oldest_kept timestamptz;
	is_late boolean;
	is_hyper boolean;
	day timestamptz;
	day_end timestamptz;
	last timestamptz;
BEGIN
	IF pg_is_in_recovery() OR NOT pg_try_advisory_xact_lock(728110424, 'audio_data'::regclass::oid::int) THEN
		RETURN NULL;
	END IF;
	SELECT now() - nullif(raw_retention, 'off')::interval, is_hypertable INTO oldest_kept, is_hyper FROM audio_data_refreshes;
	IF oldest_kept IS NULL THEN
		RETURN 0;
	ELSIF is_hyper THEN
		SELECT min(range_end) INTO day_end FROM timescaledb_information.chunks
		WHERE hypertable_schema = current_schema() AND hypertable_name = 'audio_data';
	ELSE
		-- The rollups find the oldest day. The index of the points would first visit those just deleted.
		SELECT CASE WHEN noting = audio_data_noting() THEN least((SELECT min(bucket) FROM audio_data_totals WHERE seconds = 86400),
				(SELECT min(bucket) FROM audio_data_presence WHERE seconds = 60),
				(SELECT min(bucket) FROM audio_data_notes WHERE kind = 'changed'))
			ELSE (SELECT min("time") FROM audio_data WHERE "time" >= '4713-01-01Z BC') END
		INTO day FROM audio_data_refreshes;
		day := audio_data_bucket(86400, day);
		day_end := day + interval '24 hours';
	END IF;
	UPDATE audio_data_refreshes SET removed_until = least(oldest_kept, day_end) WHERE removed_until IS NULL;
	-- Counts the shorter of the clock's time and the caller's, so several callers do not shorten the wait.
	UPDATE audio_data_refreshes SET waited_at = now(), waited = waited
		+ make_interval(secs => greatest(0, least(ran_seconds, 120, extract(epoch FROM now() - waited_at))))
	WHERE oldest_kept > removed_until + interval '2 days' RETURNING waited < interval '1 day' INTO is_late;
	IF day_end > oldest_kept IS NOT FALSE THEN
		UPDATE audio_data_refreshes SET removed_until = oldest_kept, waited = '0' WHERE is_late IS NOT TRUE;
		RETURN 0;
	ELSIF is_late THEN
		RETURN -1;
	ELSIF is_hyper THEN
		PERFORM audio_data_forget_days('-infinity', audio_data_bucket(86400, day_end));
		EXECUTE format('SELECT %s.drop_chunks(''audio_data'', older_than => $1)',
			(SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'timescaledb')) USING day_end;
		DELETE FROM audio_data_chunks WHERE audio_data_chunks.last <= day_end;
		DELETE FROM audio_data_overload WHERE minute < day_end;
		INSERT INTO audio_data_notes SELECT audio_data_bucket(86400, day_end), 86400, 'changed'
		WHERE day_end > audio_data_bucket(86400, day_end);
		RETURN 1;
	END IF;
	SELECT "time" INTO last FROM audio_data WHERE "time" >= day AND "time" < day_end
	ORDER BY "time" OFFSET points_a_step - 1 LIMIT 1;
	IF NOT FOUND THEN
		PERFORM audio_data_forget_days(day, day_end);
	END IF;
	DELETE FROM audio_data WHERE "time" >= day AND "time" < day_end AND "time" <= coalesce(last, day_end);
	DELETE FROM audio_data_overload WHERE minute < audio_data_bucket(60, coalesce(last, day_end));
	RETURN 1;
END
$$;
