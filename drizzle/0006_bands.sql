-- When which tones prevailed, on TimescaleDB only.
--
-- audio_data_band_*  how many points have their dominant frequency in each third-octave band (src/contract/bands.ts),
--                    by 5 minutes and by the hour. A band is its place, from 0 on; it is null without a frequency
DO $$
DECLARE
	rollup record;
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) IS DISTINCT FROM 'on' THEN
		RETURN;
	END IF;

	FOR rollup IN
		SELECT format('audio_data_band_%s', resolution) AS name, width
		FROM (VALUES ('5m', '5 minutes'), ('1h', '1 hour')) AS rollups (resolution, width)
	LOOP
		EXECUTE format(
			'CREATE MATERIALIZED VIEW %I WITH (timescaledb.continuous, timescaledb.materialized_only = true, '
				|| 'timescaledb.create_group_indexes = false, timescaledb.chunk_interval = %L) AS %s WITH NO DATA',
			rollup.name, '30 days', replace($sql$
				SELECT
					time_bucket($width, "time") AS bucket,
					width_bucket(frequency_hz, array[113, 142, 178, 224, 282, 355, 447, 563, 708, 892, 1123, 1413, 1779,
						2239, 2819, 3549, 4467, 5624, 7080]) AS band,
					count(*)::int AS point_count
				FROM audio_data
				GROUP BY 1, 2
			$sql$, '$width', quote_literal(rollup.width)));
		EXECUTE format('ALTER MATERIALIZED VIEW %I SET (timescaledb.enable_columnstore, timescaledb.orderby = %L)',
			rollup.name, 'bucket, band');
	END LOOP;
END
$$;
