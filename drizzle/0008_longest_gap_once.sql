-- Measures the longest gap of a minute once. Where the planner took the points of a minute for one, as it does of a past
-- that it has no statistics of, it was measured again for each point: a minute of 6,000 took seconds.
DO $$
BEGIN
	IF to_regclass('audio_data_changes') IS NULL THEN
		RETURN;
	END IF;
	EXECUTE format($sql$
		CREATE OR REPLACE FUNCTION audio_data_measure_gaps() RETURNS trigger LANGUAGE plpgsql AS $body$
		BEGIN
			WITH points AS (
				SELECT "time", lag("time") OVER back AS since,
					(extract(epoch FROM "time" - lag("time") OVER back) * 1000000)::int AS micros
				FROM %I.audio_data WHERE "time" >= NEW.bucket AND "time" < NEW.bucket + interval '1 minute'
				WINDOW back AS (ORDER BY "time")
			),
			gaps AS (SELECT "time", since, CASE WHEN micros >= 1000 THEN micros END AS micros FROM points),
			ends AS MATERIALIZED (SELECT max(micros) AS longest FROM gaps)
			SELECT min("time"), max("time"), count(micros), coalesce(sum(micros), 0), min(micros), max(micros),
				count(*) FILTER (WHERE micros = ends.longest), min(since) FILTER (WHERE micros = ends.longest),
				max(micros) FILTER (WHERE micros < ends.longest)
			INTO NEW.first_at, NEW.last_at, NEW.gap_count, NEW.gap_micros, NEW.shortest, NEW.longest, NEW.longest_count,
				NEW.longest_at, NEW.second
			FROM gaps CROSS JOIN ends;
			RETURN NEW;
		END
		$body$
	$sql$, current_schema());
END
$$;
