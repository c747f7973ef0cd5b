-- What the statistics of long windows are made from, on TimescaleDB only, each from audio_data itself:
--
-- audio_data_total_*      the sums of all points of a bucket, and its most frequent frequency: one rollup for
--                         each length that the buckets of a chart can have, from a minute to a day
-- audio_data_level_*      how many points lie at each level, to 0.1 dB: by the half hour and the day
-- audio_data_frequency_*  how many points lie at each frequency: by the half hour and the day
--
-- How they are read, and why that is exact, is in src/timescale/internal-catalog.ts; the policies are in
-- src/timescale/policies.ts. Those of an earlier form of this migration, which was never released, make room.
DO $$
DECLARE
	rollup record;
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) IS DISTINCT FROM 'on' THEN
		RETURN;
	END IF;

	FOR rollup IN
		SELECT view_name AS name FROM timescaledb_information.continuous_aggregates
		WHERE view_schema = current_schema() AND view_name ~ '^audio_data_(total|level|frequency)_(1h|2h|1d)$'
			AND EXISTS (SELECT FROM drizzle.__drizzle_migrations WHERE created_at = 1795211697207)
	LOOP
		EXECUTE format('DROP MATERIALIZED VIEW %I', rollup.name);
	END LOOP;

	FOR rollup IN
		SELECT format('audio_data_%s_%s', key, resolution) AS name, replace(body, '$width', quote_literal(width)) AS body,
			chunk, ordered,
			-- totals from an hour up are so few rows that the columnstore would make them larger
			key <> 'total' OR width::interval < interval '1 hour' AS columnstore
		FROM (VALUES
			('total', 'bucket', $sql$
				SELECT
					time_bucket($width, "time") AS bucket,
					count(*) AS point_count,
					count(rms_db) AS level_count,
					sum((rms_db::float8 * 4294967296)::bigint) AS level_sum,
					min(rms_db) AS min_db,
					max(rms_db) AS max_db,
					sum(power(10::float8, rms_db::float8 / 10)) AS power_sum,
					count(*) FILTER (WHERE is_silence) AS silence_count,
					-- of equals the first in this order, so the lowest; nulls do not count
					mode() WITHIN GROUP (ORDER BY frequency_hz) AS dominant_frequency_hz
				FROM audio_data
				GROUP BY 1
			$sql$),
			-- a point_count of 4 bytes is what TimescaleDB adds up in vectors
			('level', 'bucket, level', $sql$
				SELECT
					time_bucket($width, "time") AS bucket,
					(rms_db::float8 * 10)::int AS level,
					count(*)::int AS point_count
				FROM audio_data
				GROUP BY 1, 2
			$sql$),
			('frequency', 'bucket, frequency_hz', $sql$
				SELECT
					time_bucket($width, "time") AS bucket,
					frequency_hz,
					count(*)::int AS point_count
				FROM audio_data
				GROUP BY 1, 2
			$sql$)
		) AS bodies (key, ordered, body)
		JOIN (VALUES
			('total', '1m', '1 minute', '10 days'),
			('total', '2m', '2 minutes', '30 days'),
			('total', '5m', '5 minutes', '30 days'),
			('total', '10m', '10 minutes', '30 days'),
			('total', '15m', '15 minutes', '30 days'),
			('total', '30m', '30 minutes', '30 days'),
			('total', '1h', '1 hour', '30 days'),
			('total', '2h', '2 hours', '30 days'),
			('total', '3h', '3 hours', '30 days'),
			('total', '6h', '6 hours', '30 days'),
			('total', '12h', '12 hours', '30 days'),
			('total', '1d', '1 day', '30 days'),
			('level', '30m', '30 minutes', '10 days'),
			('level', '1d', '1 day', '30 days'),
			('frequency', '30m', '30 minutes', '1 day'),
			('frequency', '1d', '1 day', '30 days')
		) AS rollups (key, resolution, width, chunk) USING (key)
	LOOP
		-- materialized_only: reading it is reading its stored rows; the newer points come from audio_data.
		EXECUTE format(
			'CREATE MATERIALIZED VIEW %I WITH (timescaledb.continuous, timescaledb.materialized_only = true, '
				|| 'timescaledb.create_group_indexes = false, timescaledb.chunk_interval = %L) AS %s WITH NO DATA',
			rollup.name, rollup.chunk, rollup.body);
		IF rollup.columnstore THEN
			EXECUTE format('ALTER MATERIALIZED VIEW %I SET (timescaledb.enable_columnstore, timescaledb.orderby = %L)',
				rollup.name, rollup.ordered);
		END IF;
	END LOOP;

	-- To change a point in the columnstore, TimescaleDB moves the thousand around it into rows. A refresh planned
	-- before that would not look there, and store buckets without them, unnoticed. So updates and deletes wait for
	-- refreshes, and refreshes for them; inserts and readers wait for neither.
	EXECUTE $sql$
		CREATE FUNCTION audio_data_await_refreshes() RETURNS trigger
		LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $body$
		DECLARE
			stored regclass;
		BEGIN
			FOR stored IN
				SELECT format('%I.%I', mat.schema_name, mat.table_name)::regclass
				FROM _timescaledb_catalog.continuous_agg
				JOIN _timescaledb_catalog.hypertable AS mat ON mat.id = mat_hypertable_id
				JOIN _timescaledb_catalog.hypertable AS points ON points.id = raw_hypertable_id
				WHERE points.schema_name = TG_TABLE_SCHEMA AND points.table_name = TG_TABLE_NAME
				ORDER BY mat.id
			LOOP
				EXECUTE format('LOCK TABLE %s IN SHARE MODE', stored);
			END LOOP;
			RETURN NULL;
		END
		$body$
	$sql$;
	EXECUTE $sql$
		CREATE TRIGGER audio_data_await_refreshes BEFORE UPDATE OR DELETE ON audio_data
		FOR EACH STATEMENT EXECUTE FUNCTION audio_data_await_refreshes()
	$sql$;
END
$$;
