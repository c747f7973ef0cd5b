-- Adopts a database that an earlier version migrated. Drops everything derived from its points; 0003 builds it again.
-- Points, minutes, periods, segments of spools, retention and rights stay.
DO $$
DECLARE
	derived text;
BEGIN
	CREATE TEMPORARY TABLE audio_data_readers ON COMMIT DROP AS
		SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS role, relkind = 'v' AS is_aggregate
		FROM pg_class LEFT JOIN LATERAL aclexplode(relacl) ON privilege_type = 'SELECT' AND grantee <> relowner
		WHERE pg_class.oid = coalesce(to_regclass('audio_data_totals'), to_regclass('audio_data_total_1m'));
	DROP FUNCTION IF EXISTS audio_data_changed_chunks(); -- its return type is one of the tables
	FOR derived IN
		SELECT format('%s %s', CASE relkind WHEN 'v' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END, oid::regclass) FROM pg_class
		WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN ('v', 'r')
			AND relname ~ '^audio_data_((total|histogram|band|presence)_\d+[mhd]|totals|histograms|bands|presence|notes|chunks|changes|rollups)$'
		UNION ALL
		SELECT format('FUNCTION %s CASCADE', oid::regprocedure) FROM pg_proc
		WHERE pronamespace = quote_ident(current_schema())::regnamespace AND proname ~ ('^audio_data_(await_refresh(es)?|bucket|changed_chunks'
			|| '|counted_at|counts|forget(_days)?|measure_gaps|note_(changes|row)|noting|refresh|remove_old|rollup_state)$')
	LOOP
		EXECUTE 'DROP ' || derived;
	END LOOP;
END
$$;

-- The table of points. If a recorder already created the table, this keeps every row and adds only what is missing.
-- src/db/assert-adoptable.ts has already checked that the table fits.
CREATE TABLE IF NOT EXISTS audio_data (
	"time" timestamptz NOT NULL,
	rms_db real CONSTRAINT audio_data_rms_db_check CHECK (rms_db between -50.0 and 0.0),
	frequency_hz integer CONSTRAINT audio_data_frequency_hz_check CHECK (frequency_hz between 100 and 8000),
	is_silence boolean NOT NULL DEFAULT false
);
ALTER TABLE audio_data ALTER "time" SET NOT NULL, ALTER is_silence SET NOT NULL;
DO $$
DECLARE
	missing record;
BEGIN
	IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'audio_data'::regclass AND attname = 'is_silence' AND NOT atthasdef) THEN
		ALTER TABLE audio_data ALTER is_silence SET DEFAULT false;
	END IF;
	-- the checks as this server prints them, to compare with the table's checks by text, not by name
	CREATE TEMPORARY TABLE audio_data_checks (
		rms_db real CONSTRAINT audio_data_rms_db_check CHECK (rms_db between -50.0 and 0.0),
		frequency_hz integer CONSTRAINT audio_data_frequency_hz_check CHECK (frequency_hz between 100 and 8000)
	) ON COMMIT DROP;
	FOR missing IN
		SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
		WHERE conrelid = 'pg_temp.audio_data_checks'::regclass AND contype = 'c' AND pg_get_constraintdef(oid) NOT IN (
			SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'audio_data'::regclass AND contype = 'c')
	LOOP
		IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'audio_data'::regclass AND conname = missing.name) THEN
			missing.name := missing.name || '_contract';
		END IF;
		EXECUTE format('ALTER TABLE audio_data ADD CONSTRAINT %I %s', missing.name, missing.definition);
	END LOOP;
	-- The index is ascending. In a descending one, new points come first, so pages stay half empty on a plain table.
	IF pg_get_indexdef(to_regclass('audio_data_time_idx')) LIKE '%("time" DESC)'
		AND current_setting('audio_metrics.timescaledb', true) IS DISTINCT FROM 'on' THEN
		DROP INDEX audio_data_time_idx;
	END IF;
	IF NOT EXISTS (
		SELECT FROM pg_index
		JOIN pg_class ON pg_class.oid = indexrelid
		JOIN pg_am ON pg_am.oid = relam AND amname = 'btree'
		JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] AND attname = 'time'
		WHERE indrelid = 'audio_data'::regclass AND indisvalid AND indpred IS NULL
	) THEN
		CREATE INDEX audio_data_time_idx ON audio_data ("time");
	END IF;
END
$$;
-- Queries find loud points by the maxima of minutes, so levels need no index.
DROP INDEX IF EXISTS audio_data_level_idx;
ALTER TABLE audio_data ALTER rms_db SET STATISTICS -1;
