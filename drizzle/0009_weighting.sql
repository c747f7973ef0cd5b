-- The frequency weighting of levels whose period does not give it (A, C or Z): limits compare levels of their own only.
ALTER TABLE audio_data_station ADD COLUMN IF NOT EXISTS weighting text;
