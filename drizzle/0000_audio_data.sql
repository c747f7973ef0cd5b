-- Adopts a database that an earlier version migrated. What was derived from its points goes, and is made anew (0003).
-- Points, minutes, periods, segments of spools, retention and rights stay.
DO $$
DECLARE
	derived record;
BEGIN
	CREATE TEMPORARY TABLE audio_data_readers ON COMMIT DROP AS
		SELECT DISTINCT grantee, rollup.relkind = 'v' AS is_aggregate
		FROM pg_class AS rollup LEFT JOIN LATERAL aclexplode(relacl) ON privilege_type = 'SELECT' AND grantee <> relowner
		WHERE rollup.oid = to_regclass('audio_data_total_1m');
	FOR derived IN
		SELECT oid::regclass AS name, CASE relkind WHEN 'v' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END AS kind
		FROM pg_class
		WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN ('v', 'r')
			AND relname ~ '^audio_data_((total|histogram|band|presence)_\d+[mhd]|changes|rollups)$'
	LOOP
		EXECUTE format('DROP %s %s', derived.kind, derived.name);
	END LOOP;
	FOR derived IN
		SELECT oid::regprocedure AS name FROM pg_proc
		WHERE pronamespace = quote_ident(current_schema())::regnamespace AND proname IN ('audio_data_await_refreshes', 'audio_data_bucket',
			'audio_data_counted_at', 'audio_data_measure_gaps', 'audio_data_note_changes', 'audio_data_noting',
			'audio_data_refresh', 'audio_data_remove_old', 'audio_data_rollup_state')
	LOOP
		EXECUTE format('DROP FUNCTION %s CASCADE', derived.name);
	END LOOP;
END
$$;
--> statement-breakpoint
-- The table of points. One that is there already, made by a recorder, is kept with every row and gets what
-- it lacks; src/db/assert-adoptable.ts has made sure before that it fits.
CREATE TABLE IF NOT EXISTS "audio_data" (
	"time" timestamp with time zone NOT NULL,
	"rms_db" real,
	"frequency_hz" integer,
	"is_silence" boolean DEFAULT false NOT NULL,
	CONSTRAINT "audio_data_rms_db_check" CHECK (rms_db between -50.0 and 0.0),
	CONSTRAINT "audio_data_frequency_hz_check" CHECK (frequency_hz between 100 and 8000)
);
--> statement-breakpoint
DO $$
DECLARE
	missing record;
BEGIN
	IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'audio_data'::regclass AND attname = 'time' AND NOT attnotnull) THEN
		ALTER TABLE audio_data ALTER COLUMN "time" SET NOT NULL;
	END IF;
	IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'audio_data'::regclass AND attname = 'is_silence' AND NOT attnotnull) THEN
		ALTER TABLE audio_data ALTER COLUMN is_silence SET NOT NULL;
	END IF;
	IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'audio_data'::regclass AND attname = 'is_silence' AND NOT atthasdef) THEN
		ALTER TABLE audio_data ALTER COLUMN is_silence SET DEFAULT false;
	END IF;
	-- the checks as this server writes them, to compare with the table's own, whatever their names
	CREATE TEMPORARY TABLE audio_data_checks (
		rms_db real CONSTRAINT audio_data_rms_db_check CHECK (rms_db between -50.0 and 0.0),
		frequency_hz integer CONSTRAINT audio_data_frequency_hz_check CHECK (frequency_hz between 100 and 8000)
	);
	FOR missing IN
		SELECT wanted.conname AS name, pg_get_constraintdef(wanted.oid) AS definition
		FROM pg_constraint wanted
		WHERE wanted.conrelid = 'pg_temp.audio_data_checks'::regclass AND wanted.contype = 'c' AND NOT EXISTS (
			SELECT FROM pg_constraint own
			WHERE own.conrelid = 'audio_data'::regclass AND own.contype = 'c'
				AND pg_get_constraintdef(own.oid) = pg_get_constraintdef(wanted.oid)
		)
	LOOP
		IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'audio_data'::regclass AND conname = missing.name) THEN
			missing.name := missing.name || '_contract';
		END IF;
		EXECUTE format('ALTER TABLE audio_data ADD CONSTRAINT %I %s', missing.name, missing.definition);
	END LOOP;
	DROP TABLE pg_temp.audio_data_checks;
END
$$;
--> statement-breakpoint
-- An index on time: ascending, or the pages of a plain table stay half empty, as each new point is the first.
DO $$
BEGIN
	IF pg_get_indexdef(to_regclass('audio_data_time_idx')) LIKE '%("time" DESC)'
		AND current_setting('audio_metrics.timescaledb', true) IS DISTINCT FROM 'on' THEN
		DROP INDEX audio_data_time_idx;
	END IF;
	IF NOT EXISTS (
		SELECT FROM pg_index i
		JOIN pg_class c ON c.oid = i.indexrelid
		JOIN pg_am m ON m.oid = c.relam AND m.amname = 'btree'
		JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] AND a.attname = 'time'
		WHERE i.indrelid = 'audio_data'::regclass AND i.indisvalid AND i.indpred IS NULL
	) THEN
		CREATE INDEX "audio_data_time_idx" ON "audio_data" USING btree ("time");
	END IF;
	-- the maxima of minutes say where loud points are
	DROP INDEX IF EXISTS audio_data_level_idx;
	ALTER TABLE audio_data ALTER COLUMN rms_db SET STATISTICS -1;
END
$$;
