-- What is set of a station: the microphone that this schema belongs to. A schema without a row is that of the default
-- station, which is set by environment variables, or of one that is not wholly made.
CREATE TABLE IF NOT EXISTS audio_data_station (
	only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
	place_name text CHECK (length(place_name) <= 100),
	time_zone text NOT NULL DEFAULT 'UTC',
	limits text NOT NULL DEFAULT '',
	calibration_offset_db double precision CHECK (calibration_offset_db BETWEEN -200 AND 300)
);
