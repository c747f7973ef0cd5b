-- What the statistics of long windows are added up from, on TimescaleDB only: per 1 and 2 hours (a chart of a
-- month has buckets of 2 hours) and per day the sums of all points (audio_data_total), how many points lie at each level, to 0.1 dB (audio_data_level), and how
-- many at each frequency (audio_data_frequency). Each is made from audio_data itself. How they are read, and
-- why that is exact, is in src/queries/clean-buckets.ts; the policies are in src/db/policies.ts.
DO $$
DECLARE
	resolution record;
	rollup record;
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) IS DISTINCT FROM 'on' THEN
		RETURN;
	END IF;

	-- A chunk becomes columnstore when it is full and old enough: short ones leave few rows outside of it.
	FOR resolution IN
		SELECT * FROM (VALUES ('1h', '1 hour', '2 days'), ('2h', '2 hours', '2 days'), ('1d', '1 day', '5 days')) AS r (name, width, chunk)
	LOOP
		-- The totals are one row a bucket: too few for a columnstore. Where there are many rows, a point_count
		-- of 4 bytes is what TimescaleDB adds up in vectors.
		FOR rollup IN
			SELECT * FROM (VALUES
				('total', null, $sql$
					SELECT
						time_bucket(interval %L, "time") AS bucket,
						count(*) AS point_count,
						count(rms_db) AS level_count,
						sum(round(rms_db::float8 * 4294967296)::bigint) AS level_sum,
						min(rms_db) AS min_db,
						max(rms_db) AS max_db,
						sum(power(10::float8, rms_db::float8 / 10)) AS power_sum,
						count(*) FILTER (WHERE is_silence) AS silence_count
					FROM audio_data
					GROUP BY 1
				$sql$),
				('level', 'bucket, level', $sql$
					SELECT
						time_bucket(interval %L, "time") AS bucket,
						round(rms_db::float8 * 10)::int AS level,
						count(*)::int AS point_count
					FROM audio_data
					GROUP BY 1, 2
				$sql$),
				('frequency', 'bucket, frequency_hz', $sql$
					SELECT
						time_bucket(interval %L, "time") AS bucket,
						frequency_hz,
						count(*)::int AS point_count
					FROM audio_data
					GROUP BY 1, 2
				$sql$)
			) AS r (name, ordered, body)
		LOOP
			-- materialized_only: reading it is reading its stored rows; the newer points come from audio_data.
			EXECUTE format(
				'CREATE MATERIALIZED VIEW %I WITH (timescaledb.continuous, timescaledb.materialized_only = true, '
					|| 'timescaledb.create_group_indexes = false, timescaledb.chunk_interval = %L) AS '
					|| format(rollup.body, resolution.width) || ' WITH NO DATA',
				format('audio_data_%s_%s', rollup.name, resolution.name),
				CASE WHEN rollup.ordered IS NULL THEN '90 days' ELSE resolution.chunk END);
			IF rollup.ordered IS NOT NULL THEN
				EXECUTE format(
					'ALTER MATERIALIZED VIEW %I SET (timescaledb.enable_columnstore, timescaledb.orderby = %L)',
					format('audio_data_%s_%s', rollup.name, resolution.name), rollup.ordered);
			END IF;
		END LOOP;
	END LOOP;
END
$$;
