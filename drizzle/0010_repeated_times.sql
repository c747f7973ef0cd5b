-- How many points of a minute have the time of another point: the count of its points minus the count of their times.
ALTER TABLE audio_data_presence ADD COLUMN IF NOT EXISTS repeated int NOT NULL DEFAULT 0;

-- As in 0003, but also counts these.
DO $$
DECLARE
	counted constant text := 'max(micros) FILTER (WHERE micros < longest)';
	refresh constant text := pg_get_functiondef('audio_data_refresh(int)'::regprocedure);
BEGIN
	IF position(counted IN refresh) = 0 THEN
		RAISE EXCEPTION 'audio_data_refresh() is not that of this version';
	END IF;
	EXECUTE replace(refresh, counted, counted || ', count(*) FILTER (WHERE "time" = before)');
END
$$;

-- Minutes whose points all lie a millisecond or more apart have no repeated times. The others are counted again.
INSERT INTO audio_data_notes SELECT bucket, 60, 'changed'
FROM audio_data_presence JOIN audio_data_totals USING (seconds, bucket)
WHERE seconds = 60 AND point_count > gap_count + 1;
