-- For the points above a level, where they are rare. In the columnstore the range of levels of every batch
-- does this (drizzle/0001); there the index holds nothing, so it is large only on a plain table.
CREATE INDEX IF NOT EXISTS "audio_data_level_idx" ON "audio_data" USING btree ("rms_db","time");
--> statement-breakpoint
-- The index is used where the planner knows that they are rare: its usual 100 steps tell 1 % from nothing,
-- which of a month of points is more than a page by far.
ALTER TABLE "audio_data" ALTER COLUMN "rms_db" SET STATISTICS 1000;
