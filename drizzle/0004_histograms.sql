-- Shorter and smaller rollups, on TimescaleDB only.
--
-- audio_data_frequency_* now has a row for each 16 frequencies, with a count for each of them (n0 is that of
-- block * 16, n15 that of block * 16 + 15): a tenth of the rows to add up, in three quarters of the room. The rollups
-- of levels and frequencies, which long windows are made of, now come in buckets of 5 minutes too, which are kept for
-- the last days only (src/timescale/policies.ts).
DO $$
DECLARE
	rollup record;
	counts constant text := (
		SELECT string_agg(format('count(*) FILTER (WHERE frequency_hz %% 16 = %s)::int AS n%s', n, n), ', ' ORDER BY n)
		FROM generate_series(0, 15) AS n
	);
BEGIN
	IF current_setting('audio_metrics.timescaledb', true) IS DISTINCT FROM 'on' THEN
		RETURN;
	END IF;

	FOR rollup IN
		SELECT format('audio_data_%s_%s', key, resolution) AS name, replace(body, '$width', quote_literal(width)) AS body,
			chunk, ordered, replaced
		FROM (VALUES
			-- a point_count of 4 bytes is what TimescaleDB adds up in vectors
			('level', 'bucket, level', $sql$
				SELECT
					time_bucket($width, "time") AS bucket,
					(rms_db::float8 * 10)::int AS level,
					count(*)::int AS point_count
				FROM audio_data
				GROUP BY 1, 2
			$sql$),
			('frequency', 'bucket, block', format($sql$
				SELECT
					time_bucket($width, "time") AS bucket,
					frequency_hz / 16 AS block,
					%s
				FROM audio_data
				WHERE frequency_hz IS NOT NULL
				GROUP BY 1, 2
			$sql$, counts))
		) AS bodies (key, ordered, body)
		JOIN (VALUES
			('level', '5m', '5 minutes', '6 hours', false),
			('frequency', '5m', '5 minutes', '6 hours', false),
			('frequency', '30m', '30 minutes', '10 days', true),
			('frequency', '1d', '1 day', '30 days', true)
		) AS rollups (key, resolution, width, chunk, replaced) USING (key)
	LOOP
		IF rollup.replaced THEN
			EXECUTE format('DROP MATERIALIZED VIEW %I', rollup.name);
		END IF;
		EXECUTE format(
			'CREATE MATERIALIZED VIEW %I WITH (timescaledb.continuous, timescaledb.materialized_only = true, '
				|| 'timescaledb.create_group_indexes = false, timescaledb.chunk_interval = %L) AS %s WITH NO DATA',
			rollup.name, rollup.chunk, rollup.body);
		EXECUTE format('ALTER MATERIALIZED VIEW %I SET (timescaledb.enable_columnstore, timescaledb.orderby = %L)',
			rollup.name, rollup.ordered);
	END LOOP;

	-- What an answer from rollups depends on (src/timescale/internal-catalog.ts), as the statement that calls it sees it.
	-- A function, because PostgreSQL keeps its plan: planning it with each question would cost more than answering.
	EXECUTE $sql$
		CREATE FUNCTION audio_data_rollup_state(with_fresh boolean, OUT fresh json, OUT chunks text)
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
