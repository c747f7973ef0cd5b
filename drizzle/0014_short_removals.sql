-- lock_timeout: a writer may wait for the lock that a removal holds, while the removal waits for the writer's chunk. The
-- removal gives up first, well before deadlock_timeout (1 s), when PostgreSQL might cancel the writer.
--
-- point: a step also visits the index entries of the half hour that was removed last, which marks them as dead. Otherwise the
-- last step of a day looks for late points among all entries of the day, for 130 ms at 10 Hz. Changed as in 0010.
DO $$
DECLARE
	removal text := pg_get_functiondef('audio_data_remove_old(float8)'::regprocedure);
	change text[];
BEGIN
	FOREACH change SLICE 1 IN ARRAY ARRAY[
		['SET lock_timeout TO ''1s''', 'SET lock_timeout TO ''500ms'''],
		['point := coalesce((SELECT max(bucket) + interval ''1 minute'' FROM audio_data_history',
			'point := greatest((SELECT max(bucket) - interval ''29 minutes'' FROM audio_data_history']]
	LOOP
		CONTINUE WHEN position(change[2] IN removal) > 0;
		IF position(change[1] IN removal) = 0 THEN
			RAISE EXCEPTION 'audio_data_remove_old() is not that of this version';
		END IF;
		removal := replace(removal, change[1], change[2]);
	END LOOP;
	EXECUTE removal;
END
$$;
