CREATE TABLE "audio_data" (
	"time" timestamp with time zone NOT NULL,
	"rms_db" real,
	"frequency_hz" integer,
	"is_silence" boolean DEFAULT false NOT NULL,
	CONSTRAINT "audio_data_rms_db_check" CHECK (rms_db between -50.0 and 0.0),
	CONSTRAINT "audio_data_frequency_hz_check" CHECK (frequency_hz between 100 and 8000)
);
--> statement-breakpoint
CREATE INDEX "audio_data_time_idx" ON "audio_data" USING btree ("time" DESC NULLS FIRST);