-- Segments are files with points that a recorder could not store yet, in a folder: its spool. The transaction that
-- stores segments lists them here, instead of the previous ones. The recorder deletes their files before it stores
-- others, so after a kill it recognises a segment that is already stored. No other live recorder may use the spool
-- before live_until. Each store extends it.
CREATE TABLE IF NOT EXISTS audio_data_spools (spool text PRIMARY KEY, segments text NOT NULL);
ALTER TABLE audio_data_spools ADD COLUMN IF NOT EXISTS live_until timestamptz;

-- How points were recorded, which gives their levels a meaning. A row applies from `since` until the next row. A level
-- plus `reference_db` is a sound pressure level; without a reference, levels are relative to full scale. Points before
-- the first row, or under a row of nulls, have unknown settings.
CREATE TABLE IF NOT EXISTS audio_data_periods (
	since timestamptz PRIMARY KEY CHECK (since >= '0001-01-01Z' AND since < '10000-01-01Z'),
	weighting text CHECK (weighting IN ('A', 'C', 'Z')),
	time_weighting text CHECK (time_weighting IN ('fast', 'slow')),
	reference_db double precision CHECK (reference_db BETWEEN -1000 AND 1000),
	calibration_db double precision CHECK (calibration_db BETWEEN -1000 AND 1000),
	interval_ms integer,
	channel text
);

-- Roles that may read points may read periods. Roles that may store points may write periods and segments, and may
-- check if points exist at a time.
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
