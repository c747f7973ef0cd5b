-- Rollups: tables that answer statistics of long intervals, with the same columns on every database.
--
-- Each table has a row for a bucket of `seconds` that starts at `bucket`, a multiple of its length since 1970, UTC.
--
-- audio_data_totals      the sums of all points in a bucket and its most frequent frequency, for every bucket length of
--                        a chart, from a minute to a day. under_range and clipped count the levels that read -50.0 and
--                        0.0; above_power_sum leaves out levels of -50.0; minute_count counts the minutes with points
-- audio_data_histograms  for five minutes, half an hour and a day: the same sums, and the number of points at each
--                        level, from -50.1 to 0.1 dB by tenths, and at each frequency, from 99 to 8001 Hz. Each recount
--                        of a bucket changes counted_at
-- audio_data_bands       the number of points with their dominant frequency in each third-octave band
--                        (src/contract/bands.ts). band is an index from 0, or null without a frequency
-- audio_data_presence    for each minute: its first and last point. For its gaps of a millisecond or more: their number
--                        and sum, the shortest, the longest and the second longest, all in microseconds, and when the
--                        longest first occurs, and how often
--
-- audio_data_notes       why a bucket must not be read:
--   changed   a transaction changed points of this minute, half hour or day, and wrote the note itself
--   waiting   the half hour is counted, but its longer buckets are not: a refresh counts them after the day ends
--   sparse    the day has so few points that reading them is as fast, so only its longest buckets are stored
--
-- In every snapshot a bucket is either noted or equal to the sums of its points. A refresh deletes notes before it reads
-- points, so a transaction that commits later keeps its notes. A bucket without a row and without a note has no points.
CREATE TABLE audio_data_totals (
	seconds int, bucket timestamptz, point_count bigint NOT NULL, level_count bigint NOT NULL, level_sum numeric, min_db real,
	max_db real, power_sum float8, above_power_sum float8, silence_count bigint NOT NULL, under_range bigint NOT NULL,
	clipped bigint NOT NULL, minute_count int NOT NULL, PRIMARY KEY (seconds, bucket));
CREATE TABLE audio_data_histograms (LIKE audio_data_totals INCLUDING INDEXES,
	counted_at bigint NOT NULL, levels int[] NOT NULL, frequencies int[] NOT NULL);
ALTER TABLE audio_data_totals ADD dominant_frequency_hz int;
-- Finds the minutes with loud points.
CREATE INDEX audio_data_loud_minutes_idx ON audio_data_totals (max_db, bucket) WHERE seconds = 60;
CREATE TABLE audio_data_bands (seconds int NOT NULL, bucket timestamptz NOT NULL, band int, point_count int NOT NULL);
CREATE INDEX audio_data_bands_idx ON audio_data_bands (seconds, bucket);
CREATE TABLE audio_data_presence (
	seconds int, bucket timestamptz, first_at timestamptz NOT NULL, last_at timestamptz NOT NULL, gap_count int NOT NULL,
	gap_micros int NOT NULL, shortest int, longest int, longest_count int NOT NULL, longest_at timestamptz, second int,
	PRIMARY KEY (seconds, bucket));
CREATE TABLE audio_data_notes (
	bucket timestamptz NOT NULL, seconds int NOT NULL, kind text NOT NULL CHECK (kind IN ('changed', 'waiting', 'sparse')));
CREATE INDEX audio_data_notes_idx ON audio_data_notes (kind, bucket);
-- On a hypertable: the chunks that the rollups were counted from, and the transaction that attached each. Dropping,
-- attaching or detaching a chunk fires no trigger.
CREATE TABLE audio_data_chunks (
	chunk oid PRIMARY KEY, attached xid NOT NULL, first timestamptz NOT NULL, last timestamptz NOT NULL);
-- refreshed_at: when a refresh last ran. noting: what audio_data_noting() returned when the rollups were counted.
-- triggers: the triggers that must be on. raw_retention: how long points are kept, an interval or `off`; null until
-- RAW_RETENTION is set. removed_until, waited, waited_at: see audio_data_remove_old(). sparse_below: a day with fewer points is sparse.
CREATE TABLE IF NOT EXISTS audio_data_refreshes (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row));
ALTER TABLE audio_data_refreshes DROP IF EXISTS five_minutes_since, ADD IF NOT EXISTS noting text,
	ADD IF NOT EXISTS refreshed_at timestamptz NOT NULL DEFAULT now(), ADD IF NOT EXISTS raw_retention text,
	ADD IF NOT EXISTS removed_until timestamptz, ADD IF NOT EXISTS waited interval NOT NULL DEFAULT '0',
	ADD IF NOT EXISTS waited_at timestamptz NOT NULL DEFAULT now(),
	ADD IF NOT EXISTS sparse_below int NOT NULL DEFAULT 2880, ADD IF NOT EXISTS triggers text NOT NULL DEFAULT '',
	ADD IF NOT EXISTS is_hypertable boolean NOT NULL DEFAULT false;
INSERT INTO audio_data_refreshes DEFAULT VALUES ON CONFLICT DO NOTHING;
UPDATE audio_data_refreshes SET noting = NULL,
	is_hypertable = coalesce(current_setting('audio_metrics.timescaledb', true) = 'on', false);
-- The search_path of functions that other roles run: this schema first, temporary tables last.
SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The start of the bucket that a time belongs to, whatever the session's time zone.
CREATE FUNCTION audio_data_bucket(seconds int, "time" timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT date_bin(make_interval(secs => $1), $2, '1970-01-01T00:00:00Z'::timestamptz) $$;

-- Notes the minutes of the points that a statement added, changed or removed. Skips times that no query can reach:
-- computing their buckets would fail.
CREATE FUNCTION audio_data_note_changes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_RELID <> 'audio_data'::regclass THEN
		RAISE EXCEPTION 'audio_data_note_changes() is for audio_data';
	END IF;
	INSERT INTO audio_data_notes
	SELECT DISTINCT audio_data_bucket(60, "time"), 60, 'changed' FROM points
	WHERE "time" BETWEEN '4713-01-01Z BC' AND '294000-01-01Z';
	RETURN NULL;
END
$$;
-- Like audio_data_note_changes(), but for each row: hypertables have no transition tables for deletions, and logical
-- replication applies rows. A transaction notes a minute again only if it changed another minute in between.
CREATE FUNCTION audio_data_note_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
	point timestamptz;
	noted text;
BEGIN
	FOREACH point IN ARRAY CASE TG_OP WHEN 'INSERT' THEN ARRAY[NEW."time"] WHEN 'DELETE' THEN ARRAY[OLD."time"]
		ELSE ARRAY[OLD."time", NEW."time"] END
	LOOP
		CONTINUE WHEN NOT point BETWEEN '4713-01-01Z BC' AND '294000-01-01Z';
		noted := extract(epoch FROM audio_data_bucket(60, point));
		CONTINUE WHEN noted = current_setting('audio_metrics.noted', true);
		INSERT INTO audio_data_notes VALUES (audio_data_bucket(60, point), 60, 'changed');
		PERFORM set_config('audio_metrics.noted', noted, true);
	END LOOP;
	RETURN NULL;
END
$$;
-- To change a point in the columnstore, TimescaleDB moves about a thousand points around it into rows. A refresh that was
-- planned before the move would not read those rows, and would miss their points without an error. So updates and deletes
-- wait for refreshes, and refreshes for them; inserts and readers wait for neither. If a session with
-- session_replication_role = replica deletes points, no trigger of a chunk fires, so a refresh counts everything again.
CREATE FUNCTION audio_data_await_refresh() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'DELETE' AND current_setting('session_replication_role') = 'replica' THEN
		UPDATE audio_data_refreshes SET noting = NULL;
	END IF;
	LOCK TABLE audio_data_refreshes IN SHARE MODE;
	RETURN NULL;
END
$$;
CREATE TRIGGER audio_data_note_insert AFTER INSERT ON audio_data REFERENCING NEW TABLE AS points
	FOR EACH STATEMENT EXECUTE FUNCTION audio_data_note_changes();
CREATE TRIGGER audio_data_note_update_new AFTER UPDATE ON audio_data REFERENCING NEW TABLE AS points
	FOR EACH STATEMENT EXECUTE FUNCTION audio_data_note_changes();
CREATE TRIGGER audio_data_note_update_old AFTER UPDATE ON audio_data REFERENCING OLD TABLE AS points
	FOR EACH STATEMENT EXECUTE FUNCTION audio_data_note_changes();
DO $$
DECLARE
	earlier text;
BEGIN
	IF (SELECT is_hypertable FROM audio_data_refreshes) THEN
		CREATE TRIGGER audio_data_note_delete AFTER DELETE ON audio_data FOR EACH ROW EXECUTE FUNCTION audio_data_note_row();
		CREATE TRIGGER audio_data_note_wait BEFORE UPDATE OR DELETE ON audio_data
			FOR EACH STATEMENT EXECUTE FUNCTION audio_data_await_refresh();
		ALTER TABLE audio_data ENABLE ALWAYS TRIGGER audio_data_note_insert, ENABLE ALWAYS TRIGGER audio_data_note_wait,
			ENABLE ALWAYS TRIGGER audio_data_note_update_new, ENABLE ALWAYS TRIGGER audio_data_note_update_old;
		-- The service replaces the retention policy, and takes over its interval.
		EXECUTE $sql$ SELECT max(config ->> 'drop_after') FROM timescaledb_information.jobs WHERE proc_name = 'policy_retention'
			AND hypertable_schema = current_schema() AND hypertable_name = 'audio_data' $sql$ INTO earlier;
		EXECUTE format('SELECT %s.remove_retention_policy(''audio_data'', if_exists => true)',
			(SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'timescaledb'));
		UPDATE audio_data_refreshes SET raw_retention = coalesce(raw_retention, earlier,
			(SELECT 'off' FROM pg_temp.audio_data_readers WHERE is_aggregate LIMIT 1));
	ELSE
		CREATE TRIGGER audio_data_note_delete AFTER DELETE ON audio_data REFERENCING OLD TABLE AS points
			FOR EACH STATEMENT EXECUTE FUNCTION audio_data_note_changes();
		CREATE TRIGGER audio_data_note_replica AFTER INSERT OR UPDATE OR DELETE ON audio_data
			FOR EACH ROW EXECUTE FUNCTION audio_data_note_row();
		ALTER TABLE audio_data ENABLE REPLICA TRIGGER audio_data_note_replica;
		-- A removed day is 3 % of a month, more than this 2 %, so its space is reused at once.
		ALTER TABLE audio_data SET (autovacuum_vacuum_scale_factor = 0.02);
	END IF;
	UPDATE audio_data_refreshes SET triggers = (SELECT string_agg(tgname || ' ' || tgenabled::text, ',' ORDER BY tgname)
		FROM pg_trigger WHERE tgrelid = 'audio_data'::regclass AND tgname LIKE 'audio\_data\_note\_%');
END
$$;

-- Identifies the triggers that note changes, the columns, and the table's file, which TRUNCATE and ALTER TABLE replace.
-- Null if changes can go unnoted: a trigger is off; audio_data has child or parent tables; it is unlogged, so a crash may
-- empty it; or row-level security hides points from some roles.
CREATE FUNCTION audio_data_noting() RETURNS text LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
	RETURN (
		SELECT string_agg(tgname || ' ' || pg_trigger.xmin, ',' ORDER BY tgname) || ',' || min(relfilenode::bigint) || ','
			|| (SELECT string_agg(attnum::text, ' ' ORDER BY attname) FROM pg_attribute
				WHERE attrelid = 'audio_data'::regclass AND attname IN ('time', 'rms_db', 'frequency_hz', 'is_silence'))
		FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid CROSS JOIN audio_data_refreshes
		WHERE tgrelid = 'audio_data'::regclass AND tgname LIKE 'audio\_data\_note\_%'
			AND relpersistence = 'p' AND NOT relrowsecurity
			AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = tgrelid OR inhparent = tgrelid AND NOT is_hypertable)
		GROUP BY triggers HAVING triggers = string_agg(tgname || ' ' || tgenabled::text, ',' ORDER BY tgname)
	);
END
$$;
-- The chunks that were created, dropped, attached or detached since the rollups were counted. Queries TimescaleDB's view
-- only if there are such chunks.
CREATE FUNCTION audio_data_changed_chunks() RETURNS SETOF audio_data_chunks
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
	IF EXISTS (
		SELECT FROM (SELECT inhrelid AS chunk, xmin AS attached FROM pg_inherits WHERE inhparent = 'audio_data'::regclass) AS present
		FULL JOIN audio_data_chunks AS counted USING (chunk, attached) WHERE present.chunk IS NULL OR counted.chunk IS NULL
	) THEN
		RETURN QUERY
		SELECT chunk, attached, coalesce(range_start, first), coalesce(range_end, last)
		FROM (
			SELECT inhrelid AS chunk, pg_inherits.xmin AS attached, range_start, range_end
			FROM pg_inherits JOIN timescaledb_information.chunks ON inhrelid = format('%I.%I', chunk_schema, chunk_name)::regclass
			WHERE inhparent = 'audio_data'::regclass
		) AS present FULL JOIN audio_data_chunks AS counted USING (chunk, attached)
		WHERE present.chunk IS NULL OR counted.chunk IS NULL;
	END IF;
END
$$;
-- The state that an answer from rollups depends on, in the snapshot of the calling statement: the ranges with noted
-- buckets in an interval, in microseconds since 1970. With more than 2,000 ranges, reading the points is faster.
--
-- chunks: the transaction that last changed how each chunk of the interval is stored (rows, columns or both). TimescaleDB
-- chooses where to read points when it plans, a moment before its snapshot. If no chunk has changed since an earlier
-- state, the choice was right. This function keeps its plans, because planning takes four times as long as running, and
-- the plans read no points.
CREATE FUNCTION audio_data_rollup_state(since timestamptz, until timestamptz, OUT changed text, OUT waiting text,
	OUT sparse text, OUT chunks text)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = 'force_generic_plan' AS $$
DECLARE
	since_micros constant int8 := extract(epoch FROM since) * 1000000;
	until_micros constant int8 := extract(epoch FROM until) * 1000000;
	is_hyper boolean;
	is_noted boolean;
BEGIN
	SELECT is_hypertable, coalesce(noting = audio_data_noting(), false) INTO is_hyper, is_noted FROM audio_data_refreshes;
	IF is_hyper THEN
		SELECT string_agg(chunk.id || ' ' || chunk.xmin, ',' ORDER BY chunk.id) INTO chunks
		FROM _timescaledb_catalog.hypertable
		JOIN _timescaledb_catalog.chunk ON hypertable_id = hypertable.id
		JOIN _timescaledb_catalog.dimension_slice ON chunk_id = chunk.id
		WHERE hypertable.schema_name = current_schema() AND hypertable.table_name = 'audio_data'
			AND range_start < until_micros AND range_end > since_micros;
	END IF;
	IF is_noted THEN
		SELECT range_agg(span) FILTER (WHERE kind = 'changed'), range_agg(span) FILTER (WHERE kind = 'waiting'),
			range_agg(span) FILTER (WHERE kind = 'sparse')
		INTO changed, waiting, sparse
		FROM (
			SELECT kind, int8range(micros, micros + 1000000 * seconds::int8) AS span
			FROM (SELECT DISTINCT kind, seconds, (extract(epoch FROM bucket) * 1000000)::int8 AS micros FROM audio_data_notes
				WHERE kind IN ('changed', 'waiting', 'sparse') AND bucket < until AND bucket > since - interval '24 hours') AS notes
			UNION ALL
			SELECT 'changed', int8range((extract(epoch FROM first) * 1000000)::int8, (extract(epoch FROM last) * 1000000)::int8)
			FROM audio_data_changed_chunks() WHERE is_hyper AND first < until AND last > since
		) AS spans;
	END IF;
	IF NOT is_noted OR length(changed) - length(replace(changed, ',[', '')) > 2 * 2000 THEN
		changed := '{(,)}';
	END IF;
END
$$;

-- Turns the counts of some values into an array with an element for each value from `first` to `last`.
CREATE FUNCTION audio_data_counts(first int, last int, given int[], counts int[]) RETURNS int[]
LANGUAGE plpgsql IMMUTABLE SET search_path FROM CURRENT AS $$
DECLARE
	filled int[] := array_fill(0, ARRAY[last - first + 1]);
BEGIN
	FOR at IN 1 .. coalesce(cardinality(given), 0) LOOP
		filled[given[at] - first + 1] := counts[at];
	END LOOP;
	RETURN filled;
END
$$;
-- Deletes the buckets and notes of whole days. Deletes the notes first, so a point that the caller's later statements do
-- not see keeps its note.
CREATE FUNCTION audio_data_forget_days(since timestamptz, until timestamptz) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
	DELETE FROM audio_data_notes WHERE kind IN ('changed', 'waiting', 'sparse') AND bucket >= since AND bucket < until;
	DELETE FROM audio_data_totals WHERE seconds IN (60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
		AND bucket >= since AND bucket < until;
	DELETE FROM audio_data_histograms WHERE seconds IN (300, 1800, 86400) AND bucket >= since AND bucket < until;
	DELETE FROM audio_data_bands WHERE seconds IN (300, 3600) AND bucket >= since AND bucket < until;
	DELETE FROM audio_data_presence WHERE seconds = 60 AND bucket >= since AND bucket < until;
$$;

-- Counts changed buckets again, the newest first, about `most_points` points at a time. If nothing has changed, counts the
-- long buckets of a day that has ended. Returns 1; 0 if nothing is left to do; null if another refresh runs, the server is
-- a standby, or changes are not noted. Plans its statements each time: a cached plan might miss the rows that an insert
-- has just put beside the columnstore of a chunk.
CREATE FUNCTION audio_data_refresh(most_points int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET timezone = 'UTC' SET plan_cache_mode = 'force_custom_plan'
AS $$
DECLARE
	few constant int := (SELECT sparse_below FROM audio_data_refreshes);
	a_day constant interval := '24 hours';
	half_an_hour constant interval := '30 minutes';
	today constant timestamptz := audio_data_bucket(86400, now());
	now_noting constant text := audio_data_noting();
	counted_now constant bigint := extract(epoch FROM clock_timestamp()) * 1000000;
	day timestamptz;
	noted_day timestamptz;
	found_points int;
	point_total int := 0;
	-- This call counts `pieces` of `piece` seconds: from the points between `first` and `last`, or, for half hours, from
	-- their histograms. For each piece it counts the buckets of these lengths.
	first timestamptz;
	last timestamptz;
	pieces timestamptz[];
	piece int;
	lengths int[];
BEGIN
	-- An old snapshot would miss points, and so would settings that hide the columnstore.
	IF current_setting('transaction_isolation') <> 'read committed' OR (SELECT is_hypertable FROM audio_data_refreshes)
		AND 'off' IN (current_setting('timescaledb.enable_columnarscan', true),
			CASE current_setting('timescaledb.disable_load', true) WHEN 'on' THEN 'off' END) THEN
		RAISE EXCEPTION 'audio_data_refresh() needs transaction_isolation ''read committed'', and TimescaleDB with its defaults';
	END IF;
	IF pg_is_in_recovery() OR NOT pg_try_advisory_xact_lock(728110424, 'audio_data'::regclass::oid::int) THEN
		RETURN NULL;
	END IF;
	LOCK TABLE audio_data_refreshes IN ROW EXCLUSIVE MODE;
	PERFORM set_config('audio_metrics.noted', '', true);
	IF now_noting IS NULL THEN
		UPDATE audio_data_refreshes SET noting = NULL WHERE noting IS NOT NULL;
		RETURN NULL;
	END IF;
	UPDATE audio_data_refreshes SET refreshed_at = now();
	-- Changes may have been missed: counts everything again. The index leads from each day with points to the next.
	IF now_noting IS DISTINCT FROM (SELECT noting FROM audio_data_refreshes) THEN
		PERFORM audio_data_forget_days('-infinity', 'infinity');
		DELETE FROM audio_data_chunks;
		INSERT INTO audio_data_chunks SELECT * FROM audio_data_changed_chunks();
		INSERT INTO audio_data_notes
		WITH RECURSIVE days (start) AS (
			SELECT audio_data_bucket(86400, min("time")) FROM audio_data WHERE "time" >= '4713-01-01Z BC'
			UNION ALL
			SELECT (SELECT audio_data_bucket(86400, min("time")) FROM audio_data WHERE "time" >= start + a_day)
			FROM days WHERE start < '294000-01-01Z'
		)
		SELECT start, 86400, 'changed' FROM days WHERE start < '294000-01-01Z';
		UPDATE audio_data_refreshes SET noting = now_noting;
		RETURN 1;
	END IF;

	-- notes the days of chunks that came or went
	WITH changed AS MATERIALIZED (SELECT * FROM audio_data_changed_chunks()),
	gone AS (DELETE FROM audio_data_chunks USING changed WHERE audio_data_chunks.chunk = changed.chunk RETURNING changed.chunk),
	made AS (INSERT INTO audio_data_chunks SELECT * FROM changed WHERE chunk NOT IN (SELECT chunk FROM gone))
	INSERT INTO audio_data_notes
	SELECT DISTINCT start, 86400, 'changed' FROM changed,
		generate_series(audio_data_bucket(86400, changed.first), changed.last - interval '1 microsecond', a_day) AS start;

	SELECT audio_data_bucket(86400, max(bucket)) INTO day FROM audio_data_notes WHERE kind = 'changed';
	last := day + a_day;
	first := last;
	-- takes consecutive sparse days that have ended, until they hold `most_points`
	noted_day := day;
	WHILE noted_day = first - a_day AND noted_day < today AND point_total < most_points AND first > last - 400 * a_day LOOP
		SELECT count(*) INTO found_points
		FROM (SELECT FROM audio_data WHERE "time" >= noted_day AND "time" < first LIMIT few) AS points;
		EXIT WHEN found_points >= few;
		point_total := point_total + found_points;
		first := noted_day;
		SELECT audio_data_bucket(86400, max(bucket)) INTO noted_day FROM audio_data_notes WHERE kind = 'changed' AND bucket < first;
	END LOOP;
	IF first < last THEN
		PERFORM audio_data_forget_days(first, last);
		piece := 86400;
		lengths := '{86400}';
		SELECT array_agg(start) INTO pieces FROM generate_series(first, last - a_day, a_day) AS start;
	ELSIF day IS NOT NULL THEN
		-- takes consecutive half hours, and counts their changed minutes
		DELETE FROM audio_data_notes WHERE kind IN ('changed', 'sparse') AND bucket = day AND seconds = 86400;
		IF FOUND THEN
			INSERT INTO audio_data_notes
			SELECT half, 1800, 'changed' FROM generate_series(day, day + a_day - half_an_hour, half_an_hour) AS half;
		END IF;
		SELECT audio_data_bucket(1800, max(bucket)) + half_an_hour INTO last FROM audio_data_notes
		WHERE kind = 'changed' AND bucket < day + a_day; -- a later day may be sparse
		first := last;
		WHILE point_total < most_points AND first > day
			AND EXISTS (SELECT FROM audio_data_notes WHERE kind = 'changed' AND bucket >= first - half_an_hour AND bucket < first) LOOP
			SELECT point_total + count(*) INTO point_total FROM audio_data WHERE "time" >= first - half_an_hour AND "time" < first;
			first := first - half_an_hour;
		END LOOP;
		piece := 60;
		lengths := '{60, 120, 300, 600, 900, 1800}';
		WITH taken AS (
			DELETE FROM audio_data_notes WHERE kind = 'changed' AND bucket >= first AND bucket < last RETURNING bucket, seconds
		)
		SELECT array_agg(DISTINCT minute) INTO pieces
		FROM taken, generate_series(bucket, bucket + make_interval(secs => seconds - 60), interval '1 minute') AS minute;
		INSERT INTO audio_data_notes
		SELECT half, 1800, 'waiting' FROM generate_series(first, last - half_an_hour, half_an_hour) AS half
		WHERE NOT EXISTS (SELECT FROM audio_data_notes WHERE kind = 'waiting' AND bucket = half);
	ELSE
		-- counts the long buckets of a day that has ended from its half hours
		SELECT audio_data_bucket(86400, max(bucket)) INTO day FROM audio_data_notes WHERE kind = 'waiting' AND bucket < today;
		IF day IS NULL THEN
			RETURN 0;
		END IF;
		DELETE FROM audio_data_notes WHERE kind = 'waiting' AND bucket >= day AND bucket < day + a_day;
		piece := 1800;
		lengths := '{3600, 7200, 10800, 21600, 43200, 86400}';
		SELECT array_agg(half) INTO pieces FROM generate_series(day, day + a_day - half_an_hour, half_an_hour) AS half;
		IF (SELECT coalesce(sum(point_count), 0) < few FROM audio_data_histograms WHERE seconds = 1800 AND bucket = ANY (pieces)) THEN
			INSERT INTO audio_data_notes VALUES (day, 86400, 'changed');
			RETURN 1;
		END IF;
	END IF;

	DELETE FROM audio_data_totals USING unnest(pieces) AS part, unnest(lengths) AS length
	WHERE seconds = length AND bucket = audio_data_bucket(length, part);
	DELETE FROM audio_data_histograms USING unnest(pieces) AS part, unnest(lengths) AS length
	WHERE seconds = length AND bucket = audio_data_bucket(length, part);
	DELETE FROM audio_data_bands USING unnest(pieces) AS part, unnest(lengths) AS length
	WHERE seconds = length AND bucket = audio_data_bucket(length, part);
	DELETE FROM audio_data_presence WHERE seconds = piece AND bucket = ANY (pieces);

	WITH point AS MATERIALIZED (
		SELECT "time", audio_data_bucket(piece, "time") AS part, rms_db, frequency_hz, is_silence FROM audio_data
		WHERE "time" >= first AND "time" < last
	),
	stored AS MATERIALIZED (SELECT * FROM audio_data_histograms WHERE piece = 1800 AND seconds = 1800 AND bucket = ANY (pieces)),
	part AS MATERIALIZED (
		SELECT part, count(*) AS point_count, count(rms_db) AS level_count, sum((rms_db::float8 * 4294967296)::bigint) AS level_sum,
			min(rms_db) AS min_db, max(rms_db) AS max_db, sum(power(10::float8, rms_db::float8 / 10)) AS power_sum,
			sum(power(10::float8, rms_db::float8 / 10)) FILTER (WHERE (rms_db::float8 * 10)::int > -500) AS above_power_sum,
			count(*) FILTER (WHERE is_silence) AS silence_count,
			count(*) FILTER (WHERE (rms_db::float8 * 10)::int = -500) AS under_range,
			count(*) FILTER (WHERE (rms_db::float8 * 10)::int = 0) AS clipped,
			count(DISTINCT audio_data_bucket(60, "time")) AS minute_count
		FROM point GROUP BY 1
		UNION ALL
		SELECT bucket, point_count, level_count, level_sum, min_db, max_db, power_sum, above_power_sum, silence_count,
			under_range, clipped, minute_count FROM stored
	),
	-- for each part, the buckets to count that hold it
	wanted AS MATERIALIZED (
		SELECT part, length, start
		FROM (SELECT part, length, audio_data_bucket(length, part) AS start FROM part, unnest(lengths) AS length OFFSET 0) AS bucket
		WHERE (length, start) IN (SELECT length, audio_data_bucket(length, changed) FROM unnest(pieces) AS changed, unnest(lengths) AS length)
	),
	total AS MATERIALIZED (
		SELECT length, start, sum(point_count)::bigint AS point_count, sum(level_count)::bigint, sum(level_sum), min(min_db),
			max(max_db), sum(power_sum), sum(above_power_sum), sum(silence_count)::bigint, sum(under_range)::bigint,
			sum(clipped)::bigint, sum(minute_count)::int
		FROM wanted JOIN part USING (part) GROUP BY 1, 2
	),
	level AS (
		SELECT length, start, value, sum(n)::int AS n
		FROM wanted JOIN (
			SELECT part, (rms_db::float8 * 10)::int AS value, count(*) AS n FROM point WHERE rms_db IS NOT NULL GROUP BY 1, 2
			UNION ALL
			SELECT bucket, (place - 502)::int, n FROM stored, unnest(levels) WITH ORDINALITY AS counted (n, place) WHERE n > 0
		) AS counted USING (part)
		WHERE length IN (300, 1800, 86400) GROUP BY 1, 2, 3
	),
	tone AS MATERIALIZED (
		SELECT length, start, value, sum(n)::int AS n
		FROM wanted JOIN (
			SELECT part, frequency_hz AS value, count(*) AS n FROM point GROUP BY 1, 2
			UNION ALL
			SELECT bucket, (place + 98)::int, n FROM stored, unnest(frequencies) WITH ORDINALITY AS counted (n, place) WHERE n > 0
			UNION ALL
			SELECT bucket, NULL, point_count - (SELECT sum(n) FROM unnest(frequencies) AS n) FROM stored
		) AS counted USING (part)
		WHERE n > 0 GROUP BY 1, 2, 3
	),
	totals AS (
		INSERT INTO audio_data_totals SELECT total.*, value FROM total LEFT JOIN (
			-- Picks the highest count, then the lowest frequency. Frequencies are below 8192.
			SELECT length, start, (8191 - max(n::bigint * 8192 + 8191 - value) % 8192)::int AS value FROM tone GROUP BY 1, 2
		) AS dominant USING (length, start)
	),
	histograms AS (
		INSERT INTO audio_data_histograms
		SELECT total.*, counted_now, audio_data_counts(-501, 1, levels, level_counts), audio_data_counts(99, 8001, tones, tone_counts)
		FROM total
		LEFT JOIN (SELECT length, start, array_agg(value) AS levels, array_agg(n) AS level_counts FROM level GROUP BY 1, 2)
			AS levels USING (length, start)
		LEFT JOIN (SELECT length, start, array_agg(value) AS tones, array_agg(n) AS tone_counts FROM tone
			WHERE value IS NOT NULL AND length IN (300, 1800, 86400) GROUP BY 1, 2) AS tones USING (length, start)
		WHERE length IN (300, 1800, 86400)
	),
	bands AS (
		INSERT INTO audio_data_bands
		SELECT length, start, width_bucket(value, array[113, 142, 178, 224, 282, 355, 447, 563, 708, 892, 1123, 1413, 1779,
			2239, 2819, 3549, 4467, 5624, 7080]), sum(n)
		FROM tone WHERE length IN (300, 3600) GROUP BY 1, 2, 3
	),
	step AS (
		SELECT part, "time", lag("time") OVER back AS before, CASE WHEN "time" - lag("time") OVER back >= interval '1 millisecond'
			THEN (extract(epoch FROM "time" - lag("time") OVER back) * 1000000)::int END AS micros
		FROM point WHERE piece = 60 AND part = ANY (pieces) WINDOW back AS (PARTITION BY part ORDER BY "time")
	),
	gap AS (SELECT *, max(micros) OVER (PARTITION BY part) AS longest FROM step),
	presence AS (
		INSERT INTO audio_data_presence
		SELECT piece, part, min("time"), max("time"), count(micros), coalesce(sum(micros), 0), min(micros), max(micros),
			count(*) FILTER (WHERE micros = longest), min(before) FILTER (WHERE micros = longest),
			max(micros) FILTER (WHERE micros < longest)
		FROM gap GROUP BY part
	)
	INSERT INTO audio_data_notes
	SELECT start, 86400, 'sparse' FROM total WHERE piece = 86400;
	RETURN 1;
END
$$;

-- Removes the oldest points beyond raw_retention: a chunk of a hypertable, or some points of a day, so that no statement
-- waits long. The triggers note deletions, so queries read the points of that day until the last step, which removes the
-- rest of the day with its rollups and notes. Returns 1; 0 if nothing is left to do; -1 if it waits; null if a refresh
-- runs or the server is a standby.
--
-- A wrong clock must not delete data. If, by the clock, over two days became due since the last removal, the removal
-- waits until the caller has run for another day.
CREATE FUNCTION audio_data_remove_old(ran_seconds float8) RETURNS int
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
	RETURN 1;
END
$$;

-- Roles that could read the earlier rollups may read and refresh these. Other roles may not run these functions, which
-- act as the owner.
REVOKE EXECUTE ON FUNCTION audio_data_note_changes(), audio_data_note_row(), audio_data_await_refresh(),
	audio_data_refresh(int), audio_data_remove_old(float8) FROM PUBLIC;
DO $$
DECLARE
	reader text;
BEGIN
	FOR reader IN SELECT role FROM pg_temp.audio_data_readers WHERE role IS NOT NULL LOOP
		EXECUTE format('GRANT SELECT ON audio_data_totals, audio_data_histograms, audio_data_bands, audio_data_presence,
			audio_data_notes, audio_data_chunks, audio_data_refreshes TO %1$s;
			GRANT EXECUTE ON FUNCTION audio_data_refresh(int), audio_data_remove_old(float8) TO %1$s', reader);
	END LOOP;
END
$$;
