-- audio_data_1min: one row per minute, with sums that add up over any number of minutes. On TimescaleDB audio_data
-- becomes a hypertable and audio_data_1min a continuous aggregate; elsewhere audio_data_1min is a view.
-- src/timescale/timescale-or-plain.ts chooses, and sets audio_metrics.timescaledb. The policies are in
-- src/timescale/policies.ts. SQL for TimescaleDB is in EXECUTE, so other servers never parse it.
DO $$
DECLARE
	is_hypertable constant boolean := coalesce(current_setting('audio_metrics.timescaledb', true) = 'on', false);
	extension constant regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'timescaledb');
	minutes constant text := format($sql$
		SELECT %s AS bucket, count(*) AS point_count, count(rms_db) AS level_count,
			sum(round(rms_db::float8 * 4294967296)::bigint) AS level_sum, min(rms_db) AS min_db, max(rms_db) AS max_db,
			sum(power(10::float8, rms_db::float8 / 10)) AS power_sum, count(*) FILTER (WHERE is_silence) AS silence_count
		FROM audio_data GROUP BY 1 $sql$,
		CASE WHEN is_hypertable THEN format($sql$%s.time_bucket(interval '1 minute', "time")$sql$, extension)
			ELSE $sql$date_bin(interval '1 minute', "time", timestamptz '2000-01-01T00:00:00Z')$sql$ END);
	has_columnstore boolean;
BEGIN
	IF NOT is_hypertable THEN
		EXECUTE 'CREATE OR REPLACE VIEW audio_data_1min AS' || minutes;
		RETURN;
	END IF;
	EXECUTE format($sql$ SELECT %1$s.create_hypertable('audio_data', %1$s.by_range('time', interval '1 day'),
		if_not_exists => true, create_default_indexes => false, migrate_data => true) $sql$, extension);
	EXECUTE $sql$ SELECT compression_enabled FROM timescaledb_information.hypertables
		WHERE hypertable_schema = current_schema() AND hypertable_name = 'audio_data' $sql$ INTO has_columnstore;
	IF NOT has_columnstore THEN
		EXECUTE $sql$ ALTER TABLE audio_data SET (timescaledb.enable_columnstore, timescaledb.orderby = 'time desc',
			timescaledb.sparse_index = 'minmax(rms_db)') $sql$;
	END IF;
	EXECUTE format('CREATE MATERIALIZED VIEW IF NOT EXISTS audio_data_1min
		WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS %s WITH NO DATA', minutes);
	EXECUTE $sql$ SELECT compression_enabled FROM timescaledb_information.continuous_aggregates
		WHERE view_schema = current_schema() AND view_name = 'audio_data_1min' $sql$ INTO has_columnstore;
	IF NOT has_columnstore THEN
		EXECUTE $sql$ ALTER MATERIALIZED VIEW audio_data_1min SET (timescaledb.enable_columnstore,
			timescaledb.orderby = 'bucket desc') $sql$;
	END IF;
END
$$;

COMMENT ON COLUMN audio_data_1min.bucket IS 'The start of the minute, in UTC';
COMMENT ON COLUMN audio_data_1min.point_count IS 'Points in the minute';
COMMENT ON COLUMN audio_data_1min.level_count IS 'Points that have a level';
COMMENT ON COLUMN audio_data_1min.level_sum IS 'Sum of the levels in units of 2^-32 dB: whole numbers, so that the order of adding changes nothing';
COMMENT ON COLUMN audio_data_1min.min_db IS 'The lowest level';
COMMENT ON COLUMN audio_data_1min.max_db IS 'The highest level';
COMMENT ON COLUMN audio_data_1min.power_sum IS 'Sum of 10^(rms_db/10): divided by level_count, the mean energy that Leq is made of';
COMMENT ON COLUMN audio_data_1min.silence_count IS 'Points that the recorder judged silent';
