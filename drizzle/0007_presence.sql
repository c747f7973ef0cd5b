-- When there were points, on TimescaleDB only.
--
-- audio_data_presence_1m  a bit for each second of a minute, the lowest for the first: whether a point lies in it.
--                         Gaps are looked for among the points where bits are missing (src/queries/gaps.ts)
DO $$
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) IS DISTINCT FROM 'on' THEN
		RETURN;
	END IF;

	EXECUTE $sql$
		CREATE MATERIALIZED VIEW audio_data_presence_1m WITH (timescaledb.continuous, timescaledb.materialized_only = true,
			timescaledb.create_group_indexes = false, timescaledb.chunk_interval = '30 days') AS
		SELECT
			time_bucket('1 minute', "time") AS bucket,
			bit_or(1::bigint << floor(extract(second FROM "time" - time_bucket('1 minute', "time")))::int) AS seconds
		FROM audio_data
		GROUP BY 1
		WITH NO DATA
	$sql$;
	EXECUTE $sql$
		ALTER MATERIALIZED VIEW audio_data_presence_1m SET (timescaledb.enable_columnstore, timescaledb.orderby = 'bucket')
	$sql$;
END
$$;
