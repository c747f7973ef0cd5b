-- The default station has a row of settings too. So a row alone no longer shows that a schema is a complete station: the
-- schema must also list its migrations, as those of the default station are listed in the schema drizzle.
-- Without a time zone, the zone of the machine that serves the station holds.
ALTER TABLE audio_data_station ALTER COLUMN time_zone DROP NOT NULL, ALTER COLUMN time_zone DROP DEFAULT;
