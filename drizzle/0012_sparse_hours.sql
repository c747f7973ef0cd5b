-- A sparse day has the totals of its hours besides those of the day, so that statistics of years need not read its points.
-- As in 0010, but counts these.
DO $$
DECLARE
	refresh text := pg_get_functiondef('audio_data_refresh(int)'::regprocedure);
	change text[];
BEGIN
	FOREACH change SLICE 1 IN ARRAY ARRAY[
		['piece := 86400;', 'piece := 3600;'],
		['lengths := ''{86400}'';', 'lengths := ''{3600, 86400}'';'],
		['FROM generate_series(first, last - a_day, a_day) AS start;',
			'FROM generate_series(first, last - interval ''1 hour'', interval ''1 hour'') AS start;'],
		['FROM tone WHERE length IN (300, 3600)', 'FROM tone WHERE piece <> 3600 AND length IN (300, 3600)'],
		['''sparse'' FROM total WHERE piece = 86400;', '''sparse'' FROM total WHERE piece = 3600 AND length = 86400;']]
	LOOP
		IF position(change[1] IN refresh) = 0 THEN
			RAISE EXCEPTION 'audio_data_refresh() is not that of this version';
		END IF;
		refresh := replace(refresh, change[1], change[2]);
	END LOOP;
	EXECUTE refresh;
END
$$;

-- Sparse days are counted again.
UPDATE audio_data_notes SET kind = 'changed' WHERE kind = 'sparse';
