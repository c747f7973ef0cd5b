-- What the level of a window is: its energy mean (leq), the maximum of the time-weighted level in it (max), or a
-- momentary value (sample); null if that is not known. And what an operator calls the meter. A recorder of an earlier
-- version stored maxima with a time weighting, and else means. A table that is adopted may have both columns already.
DO $$
BEGIN
	IF NOT EXISTS (
		SELECT FROM pg_attribute
		WHERE attrelid = 'audio_data_periods'::regclass AND attname = 'statistic' AND NOT attisdropped
	) THEN
		ALTER TABLE audio_data_periods ADD statistic text CHECK (statistic IN ('leq', 'max', 'sample')),
			ADD instrument text CHECK (length(instrument) <= 200);
		UPDATE audio_data_periods SET statistic = CASE WHEN time_weighting IS NULL THEN 'leq' ELSE 'max' END
		WHERE time_weighting IS NOT NULL OR weighting IS NOT NULL;
	END IF;
END
$$;
