-- Keys of posts and messages (audio_data_spools) are one row each: 86,400 a day of a sensor that sends every second. Roles
-- that store points may not remove rows, so the removal of old points removes keys that are over a week old. Changed as in 0010.
CREATE INDEX IF NOT EXISTS "audio_data_keys_idx" ON "audio_data_spools" USING btree ("live_until") WHERE segments = '{[0,1)}';
CREATE INDEX IF NOT EXISTS "audio_data_leases_idx" ON "audio_data_spools" USING btree ("spool") WHERE segments <> '{[0,1)}';
DO $$
DECLARE
	removal text := pg_get_functiondef('audio_data_remove_old(float8)'::regprocedure);
	start constant text := E'\n\tSELECT * INTO setting FROM audio_data_refreshes;';
BEGIN
	IF position(start IN removal) = 0 THEN
		RAISE EXCEPTION 'audio_data_remove_old() is not that of this version';
	END IF;
	EXECUTE replace(removal, start, E'\n\tDELETE FROM audio_data_spools WHERE segments = ''{[0,1)}'' AND live_until < now() - interval ''7 days'';' || start);
END
$$;
