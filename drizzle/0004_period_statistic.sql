-- statistic: the level of a window is its energy mean (leq), the maximum of its time-weighted level (max), or a momentary
-- value (sample); null if unknown. Earlier recorders stored maxima with a time weighting, and means without one.
-- instrument: the operator's name for the meter. An adopted table may already have both columns.
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
