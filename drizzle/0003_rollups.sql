-- What the statistics of long windows are made from, on TimescaleDB only, each from audio_data itself:
--
-- audio_data_total_*      the sums of all points of a bucket, and its most frequent frequency: one rollup for each
--                         length that the buckets of a chart can have, from a minute to a day
-- audio_data_histogram_*  the same sums, how many points lie at each level (to 0.1 dB) and at each frequency, and when
--                         they were counted. Who has read a bucket need not read it again while it was not counted
--                         again (src/store/histogram-cache.ts)
-- audio_data_band_*       how many points have their dominant frequency in each third-octave band
--                         (src/contract/bands.ts). A band is its place, from 0 on; it is null without a frequency
-- audio_data_presence_1m  a bit for each second of a minute, the lowest for the first: whether a point lies in it.
--                         Gaps are looked for among the points where bits are missing (src/queries/statistics/gaps.ts)
--
-- How they are read, and why that is exact, is in src/timescale/internal-catalog.ts; the policies are in
-- src/timescale/policies.ts. Those of earlier forms of this migration, which were never released, make room.
DO $$
DECLARE
	rollup record;
	totals constant text := $sql$
		count(*) AS point_count,
		count(rms_db) AS level_count,
		sum((rms_db::float8 * 4294967296)::bigint) AS level_sum,
		min(rms_db) AS min_db,
		max(rms_db) AS max_db,
		sum(power(10::float8, rms_db::float8 / 10)) AS power_sum,
		count(*) FILTER (WHERE is_silence) AS silence_count
	$sql$;
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) IS DISTINCT FROM 'on' THEN
		RETURN;
	END IF;

	FOR rollup IN
		SELECT view_name AS name FROM timescaledb_information.continuous_aggregates
		WHERE view_schema = current_schema() AND view_name ~ '^audio_data_(total|level|frequency|histogram|band|presence)_'
			AND EXISTS (SELECT FROM drizzle.__drizzle_migrations WHERE created_at > 1795214219080 OR created_at = 1795211697207)
	LOOP
		EXECUTE format('DROP MATERIALIZED VIEW %I', rollup.name);
	END LOOP;

	-- The microsecond at which a bucket is counted: another each time, so what it stands for never changes. A
	-- continuous aggregate takes immutable functions only. PostgreSQL calls this one for each bucket nevertheless,
	-- because its argument is not known before the points are.
	EXECUTE $sql$
		CREATE OR REPLACE FUNCTION audio_data_counted_at(newest timestamptz) RETURNS bigint
		LANGUAGE plpgsql IMMUTABLE AS $body$
		BEGIN
			RETURN extract(epoch FROM clock_timestamp()) * 1000000;
		END
		$body$
	$sql$;

	FOR rollup IN
		SELECT format('audio_data_%s_%s', key, resolution) AS name, width::text AS width, chunk, figures, columnstore
		FROM (VALUES
			-- mode: of equals the first in this order, so the lowest; nulls do not count
			('total', totals || ', mode() WITHIN GROUP (ORDER BY frequency_hz) AS dominant_frequency_hz', 'bucket'),
			-- An element is for a tenth of a dB, or for a hertz; the first and the last are for what lies outside.
			-- histogram takes a null for 0.
			('histogram', 'audio_data_counted_at(max("time")) AS counted_at, ' || totals || $sql$,
				histogram((rms_db::float8 * 10)::int, -500.5, 0.5, 501) FILTER (WHERE rms_db IS NOT NULL) AS levels,
				histogram(frequency_hz, 99.5, 8000.5, 7901) FILTER (WHERE frequency_hz IS NOT NULL) AS frequencies
			$sql$, NULL),
			('band', $sql$
				width_bucket(frequency_hz, array[113, 142, 178, 224, 282, 355, 447, 563, 708, 892, 1123, 1413, 1779,
					2239, 2819, 3549, 4467, 5624, 7080]) AS band,
				count(*)::int AS point_count
			$sql$, 'bucket, band'),
			('presence',
				'bit_or(1::bigint << floor(extract(second FROM "time" - time_bucket(''1 minute'', "time")))::int) AS seconds',
				'bucket')
		) AS bodies (key, figures, ordered)
		JOIN (VALUES
			('total', '1m', interval '1 minute', '10 days'),
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
			('histogram', '5m', '5 minutes', '6 hours'),
			('histogram', '30m', '30 minutes', '10 days'),
			('histogram', '1d', '1 day', '30 days'),
			('band', '5m', '5 minutes', '30 days'),
			('band', '1h', '1 hour', '30 days'),
			('presence', '1m', '1 minute', '30 days')
		) AS rollups (key, resolution, width, chunk) USING (key)
		-- totals from an hour up are so few rows that the columnstore would make them larger
		CROSS JOIN LATERAL (SELECT CASE WHEN key <> 'total' OR width < interval '1 hour' THEN ordered END) AS stored (columnstore)
	LOOP
		-- materialized_only: reading it is reading its stored rows; the newer points come from audio_data.
		EXECUTE format(
			'CREATE MATERIALIZED VIEW %I WITH (timescaledb.continuous, timescaledb.materialized_only = true, '
				|| 'timescaledb.create_group_indexes = false, timescaledb.chunk_interval = %L) AS '
				|| 'SELECT time_bucket(%L, "time") AS bucket, %s FROM audio_data GROUP BY %s WITH NO DATA',
			rollup.name, rollup.chunk, rollup.width, rollup.figures,
			CASE WHEN rollup.columnstore = 'bucket, band' THEN '1, 2' ELSE '1' END);
		IF rollup.columnstore IS NOT NULL THEN
			EXECUTE format('ALTER MATERIALIZED VIEW %I SET (timescaledb.enable_columnstore, timescaledb.orderby = %L)',
				rollup.name, rollup.columnstore);
		END IF;
	END LOOP;

	-- To change a point in the columnstore, TimescaleDB moves the thousand around it into rows. A refresh planned
	-- before that would not look there, and store buckets without them, unnoticed. So updates and deletes wait for
	-- refreshes, and refreshes for them; inserts and readers wait for neither.
	EXECUTE $sql$
		CREATE OR REPLACE FUNCTION audio_data_await_refreshes() RETURNS trigger
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
		CREATE OR REPLACE TRIGGER audio_data_await_refreshes BEFORE UPDATE OR DELETE ON audio_data
		FOR EACH STATEMENT EXECUTE FUNCTION audio_data_await_refreshes()
	$sql$;

	-- What an answer from rollups depends on (src/timescale/internal-catalog.ts), as the statement that calls it sees it.
	-- A function, because PostgreSQL keeps its plan: planning it with each question would cost more than answering.
	EXECUTE $sql$
		CREATE OR REPLACE FUNCTION audio_data_rollup_state(with_fresh boolean, OUT fresh json, OUT chunks text)
		LANGUAGE plpgsql STABLE AS $body$
		BEGIN
			SELECT string_agg(id || ' ' || xmin, ',' ORDER BY id) INTO chunks FROM _timescaledb_catalog.chunk;
			IF with_fresh THEN
				WITH rollup AS (
					SELECT user_view_name AS name, mat_hypertable_id AS id, raw_hypertable_id AS raw_id
					FROM _timescaledb_catalog.continuous_agg
					WHERE user_view_schema = current_schema() AND user_view_name LIKE 'audio\_data\_%'
				),
				stored AS (
					SELECT hypertable_id AS id, range_agg(int8range(range_start, range_end)) AS ranges
					FROM _timescaledb_catalog.chunk
					JOIN _timescaledb_catalog.dimension_slice ON chunk_id = chunk.id
					GROUP BY hypertable_id
				),
				-- each transaction leaves one of these: they are joined once, not for each rollup
				logged AS (
					SELECT hypertable_id AS raw_id, range_agg(int8range(
						lowest_modified_value, nullif(greatest_modified_value, 9223372036854775807) + 1)) AS ranges
					FROM _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log
					GROUP BY hypertable_id
				),
				note AS (
					SELECT materialization_id AS id, lowest_modified_value, greatest_modified_value
					FROM _timescaledb_catalog.continuous_aggs_materialization_invalidation_log
					UNION ALL
					SELECT materialization_id, lowest_modified_value, greatest_modified_value
					FROM _timescaledb_catalog.continuous_aggs_materialization_ranges
				),
				dropped AS (
					SELECT hypertable_id AS id, range_agg(int8range(NULL, (extract(epoch FROM date_trunc('hour',
						now() - (config ->> 'drop_after')::interval) + interval '1 hour') * 1000000)::bigint)) AS ranges
					FROM _timescaledb_catalog.bgw_job
					WHERE proc_name = 'policy_retention' AND (config ->> 'drop_after')::interval < interval '1000 years'
					GROUP BY hypertable_id
				),
				-- what is noted of times before the oldest chunk may be much, and matters to nobody
				stale AS (
					SELECT id, range_agg(int8range(
						lowest_modified_value, nullif(greatest_modified_value, 9223372036854775807) + 1)) AS ranges
					FROM note JOIN stored USING (id)
					WHERE greatest_modified_value >= lower(stored.ranges)
					GROUP BY id
				)
				SELECT json_object_agg(name,
					coalesce(stored.ranges, '{}') - coalesce(stale.ranges, '{}') - coalesce(logged.ranges, '{}')
						- coalesce(dropped.ranges, '{}'))
				INTO fresh
				FROM rollup LEFT JOIN stored USING (id) LEFT JOIN stale USING (id) LEFT JOIN dropped USING (id)
				LEFT JOIN logged USING (raw_id);
			END IF;
		END
		$body$
	$sql$;
END
$$;
