-- As in 0001, but a view also has the minutes of history. On TimescaleDB the aggregate keeps minutes by itself.
DO $$
BEGIN
	IF NOT (SELECT is_hypertable FROM audio_data_refreshes) THEN
		CREATE OR REPLACE VIEW audio_data_1min AS
		SELECT bucket, sum(point_count)::bigint AS point_count, sum(level_count)::bigint AS level_count, sum(level_sum) AS level_sum,
			min(min_db) AS min_db, max(max_db) AS max_db, sum(power_sum) AS power_sum, sum(silence_count)::bigint AS silence_count
		FROM (
			SELECT date_bin(interval '1 minute', "time", timestamptz '2000-01-01T00:00:00Z') AS bucket, count(*) AS point_count,
				count(rms_db) AS level_count, sum(round(rms_db::float8 * 4294967296)::bigint) AS level_sum, min(rms_db) AS min_db,
				max(rms_db) AS max_db, sum(power(10::float8, rms_db::float8 / 10)) AS power_sum,
				count(*) FILTER (WHERE is_silence) AS silence_count
			FROM audio_data GROUP BY 1
			UNION ALL
			SELECT bucket, point_count, level_count, level_sum, min_db, max_db, power_sum, silence_count
			FROM audio_data_history WHERE minutes = 1
		) AS minutes GROUP BY bucket;
	END IF;
END
$$;
