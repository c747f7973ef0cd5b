-- What a recorder could not store yet waits in segments, files of a folder that is its spool. Of each spool: the segments
-- that were stored last, in the transaction that stored their points. Their files are removed before others are stored,
-- so a segment that is found again, whatever was killed when, is known. live_until: how long its live recorder is the only
-- one, from when it stored last.
CREATE TABLE IF NOT EXISTS audio_data_spools (spool text PRIMARY KEY, segments text NOT NULL);
ALTER TABLE audio_data_spools ADD COLUMN IF NOT EXISTS live_until timestamptz;

-- How points were recorded, and so what a level of theirs means: from `since` on, until the next row. A level plus
-- `reference_db` is a sound pressure level; without a reference levels are relative to full scale. Nothing is known of
-- what lies before the first row, nor of a row that says nothing.
CREATE TABLE IF NOT EXISTS audio_data_periods (
	since timestamptz PRIMARY KEY CHECK (since >= '0001-01-01Z' AND since < '10000-01-01Z'),
	weighting text CHECK (weighting IN ('A', 'C', 'Z')),
	time_weighting text CHECK (time_weighting IN ('fast', 'slow')),
	reference_db double precision CHECK (reference_db BETWEEN -1000 AND 1000),
	calibration_db double precision CHECK (calibration_db BETWEEN -1000 AND 1000),
	interval_ms integer,
	channel text
);

-- Roles that may read points may read periods. Roles that may store points may note periods and segments, and ask if
-- there are points at a time.
DO $$
DECLARE
	granted record;
BEGIN
	FOR granted IN
		SELECT DISTINCT privilege_type AS may, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS role
		FROM pg_class, aclexplode(relacl)
		WHERE pg_class.oid = 'audio_data'::regclass AND privilege_type IN ('SELECT', 'INSERT') AND grantee <> relowner
	LOOP
		EXECUTE format('GRANT SELECT ON audio_data, audio_data_periods TO %s', granted.role);
		IF granted.may = 'INSERT' THEN
			EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON audio_data_periods TO %1$s;
				GRANT SELECT, INSERT, UPDATE ON audio_data_spools TO %1$s', granted.role);
		END IF;
	END LOOP;
END
$$;
