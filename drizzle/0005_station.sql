-- The settings of a station: the microphone that this schema belongs to. A schema without a row belongs to the default
-- station, which environment variables configure, or to a station whose creation did not finish.
CREATE TABLE IF NOT EXISTS audio_data_station (
	only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
	place_name text CHECK (length(place_name) <= 100),
	time_zone text NOT NULL DEFAULT 'UTC',
	limits text NOT NULL DEFAULT '',
	calibration_offset_db double precision CHECK (calibration_offset_db BETWEEN -200 AND 300)
);
-- Roles that may read points may read the settings of their station.
DO $$
DECLARE
	reader text;
BEGIN
	FOR reader IN
		SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END FROM pg_class, aclexplode(relacl)
		WHERE pg_class.oid = 'audio_data'::regclass AND privilege_type = 'SELECT' AND grantee <> relowner
	LOOP
		EXECUTE format('GRANT SELECT ON audio_data_station TO %s', reader);
	END LOOP;
END
$$;
