-- What a recorder could not store yet waits in segments, files of a folder that is its spool. Of each spool: the segments
-- that were stored last, in the transaction that stored their points. Their files are removed before others are stored,
-- so a segment that is found again, whatever was killed when, is known.
CREATE TABLE IF NOT EXISTS audio_data_spools (spool text PRIMARY KEY, segments text NOT NULL);
--> statement-breakpoint
-- Whoever may store points may note them.
DO $$
DECLARE
	writer record;
BEGIN
	FOR writer IN
		SELECT DISTINCT grantee FROM pg_class, aclexplode(relacl)
		WHERE pg_class.oid = 'audio_data'::regclass AND privilege_type = 'INSERT' AND grantee <> relowner
	LOOP
		EXECUTE format('GRANT SELECT, INSERT, UPDATE ON audio_data_spools TO %s',
			CASE writer.grantee WHEN 0 THEN 'PUBLIC' ELSE writer.grantee::regrole::text END);
	END LOOP;
END
$$;
