-- Histograms with one row a bucket, on TimescaleDB only.
--
-- audio_data_histogram_*  all that a summary is made of: the sums of the points of a bucket, how many lie at each
--                         level (to 0.1 dB) and at each frequency, and when they were counted. By the day, the half
--                         hour, and for the last days by 5 minutes (src/db/rollups.ts)
--
-- They replace audio_data_level_* and audio_data_frequency_*, which have a row for each level and each 16 frequencies.
-- Who has read a bucket need not read it again while it was not counted again (src/store/histogram-cache.ts).
DO $$
DECLARE
	rollup record;
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) IS DISTINCT FROM 'on' THEN
		RETURN;
	END IF;

	FOR rollup IN
		SELECT format('audio_data_%s_%s', key, resolution) AS name
		FROM unnest(array['level', 'frequency']) AS key, unnest(array['1d', '30m', '5m']) AS resolution
	LOOP
		EXECUTE format('DROP MATERIALIZED VIEW IF EXISTS %I', rollup.name);
	END LOOP;

	-- The microsecond at which a bucket is counted: another each time, so what it stands for never changes. A
	-- continuous aggregate takes immutable functions only. PostgreSQL calls this one for each bucket nevertheless,
	-- because its argument is not known before the points are.
	EXECUTE $sql$
		CREATE FUNCTION audio_data_counted_at(newest timestamptz) RETURNS bigint
		LANGUAGE plpgsql IMMUTABLE AS $body$
		BEGIN
			RETURN extract(epoch FROM clock_timestamp()) * 1000000;
		END
		$body$
	$sql$;

	FOR rollup IN
		SELECT format('audio_data_histogram_%s', resolution) AS name, width, chunk
		FROM (VALUES
			('5m', '5 minutes', '6 hours'),
			('30m', '30 minutes', '10 days'),
			('1d', '1 day', '30 days')
		) AS rollups (resolution, width, chunk)
	LOOP
		EXECUTE format(
			'CREATE MATERIALIZED VIEW %I WITH (timescaledb.continuous, timescaledb.materialized_only = true, '
				|| 'timescaledb.create_group_indexes = false, timescaledb.chunk_interval = %L) AS %s WITH NO DATA',
			rollup.name, rollup.chunk, replace($sql$
				SELECT
					time_bucket($width, "time") AS bucket,
					audio_data_counted_at(max("time")) AS counted_at,
					count(*) AS point_count,
					count(rms_db) AS level_count,
					sum((rms_db::float8 * 4294967296)::bigint) AS level_sum,
					min(rms_db) AS min_db,
					max(rms_db) AS max_db,
					sum(power(10::float8, rms_db::float8 / 10)) AS power_sum,
					count(*) FILTER (WHERE is_silence) AS silence_count,
					-- An element is for a tenth of a dB, or for a hertz; the first and the last are for what lies outside.
					-- histogram takes a null for 0.
					histogram((rms_db::float8 * 10)::int, -500.5, 0.5, 501) FILTER (WHERE rms_db IS NOT NULL) AS levels,
					histogram(frequency_hz, 99.5, 8000.5, 7901) FILTER (WHERE frequency_hz IS NOT NULL) AS frequencies
				FROM audio_data
				GROUP BY 1
			$sql$, '$width', quote_literal(rollup.width)));
	END LOOP;
END
$$;
