// Every table of a station, and the view of its minutes, in Drizzle's terms. The SQL in drizzle/ has the functions and
// triggers, and the checks of all tables but audio_data. It says what each table is for.
import { parseAbsolute } from '../contract/instant.ts';
import type { Assess, LimitWeighting } from '../contract/limits.ts';
import type { PeriodSettings } from '../contract/periods.ts';
import { COLUMNS, type Column } from '../contract/point.ts';
import type { KeptMeasurement } from '../contract/station.ts';
import { identifier, type PgColumnBuilderBase, type PgTableFn, sql, pgCore as t } from './drizzle.ts';

/**
 * A time in the canonical form. A session in UTC returns `2026-01-01 00:00:00.5+00`. `infinity` and years beyond 9999,
 * which points may have, have no canonical form, and stay as the session writes them.
 */
const instant = t.customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp with time zone',
  fromDriver: (text) => parseAbsolute(`${text.replace(' ', 'T')}:00`) ?? text,
});
const oid = t.customType<{ data: number }>({ dataType: () => 'oid' });
const xid = t.customType<{ data: string }>({ dataType: () => 'xid' });
const count = () => t.bigint({ mode: 'number' });
const onlyRow = () => t.boolean().primaryKey().default(true);

type Setting<Name extends keyof PeriodSettings> = NonNullable<PeriodSettings[Name]>;

const sums = () => ({
  seconds: t.integer().notNull(),
  bucket: instant().notNull(),
  point_count: count().notNull(),
  level_count: count().notNull(),
  level_sum: t.numeric(),
  min_db: t.real(),
  max_db: t.real(),
  power_sum: t.doublePrecision(),
  above_power_sum: t.doublePrecision(),
  silence_count: count().notNull(),
  under_range: count().notNull(),
  clipped: count().notNull(),
  minute_count: t.integer().notNull(),
});

/** @param makers those of a schema, or Drizzle's own for the schema of the connection */
export function tablesIn({ table, view }: { table: PgTableFn<string | undefined>; view: typeof t.pgView }) {
  return {
    /** One row per measured window. No key: equal timestamps, even equal rows, are legal. */
    points: table(
      'audio_data',
      {
        time: instant().notNull(),
        rms_db: t.real(),
        frequency_hz: t.integer(),
        is_silence: t.boolean().notNull().default(false),
      } satisfies Record<Column, PgColumnBuilderBase>,
      ({ time }) => [
        t.index('audio_data_time_idx').on(time),
        t.check('audio_data_rms_db_check', sql`rms_db between -50.0 and 0.0`),
        t.check('audio_data_frequency_hz_check', sql`frequency_hz between 100 and 8000`),
      ],
    ),

    minutes: view('audio_data_1min', {
      bucket: instant(),
      point_count: count(),
      level_count: count(),
      level_sum: t.numeric(),
      min_db: t.real(),
      max_db: t.real(),
      power_sum: t.doublePrecision(),
      silence_count: count(),
    }).existing(),

    spools: table(
      'audio_data_spools',
      { spool: t.text().primaryKey(), segments: t.text().notNull(), live_until: instant() },
      ({ spool, live_until }) => [
        t.index('audio_data_keys_idx').on(live_until).where(sql`segments = '{[0,1)}'`),
        t.index('audio_data_leases_idx').on(spool).where(sql`segments <> '{[0,1)}'`),
      ],
    ),

    periods: table('audio_data_periods', {
      since: instant().primaryKey(),
      weighting: t.text().$type<Setting<'weighting'>>(),
      time_weighting: t.text().$type<Setting<'time_weighting'>>(),
      reference_db: t.doublePrecision(),
      calibration_db: t.doublePrecision(),
      interval_ms: t.integer(),
      channel: t.text(),
      statistic: t.text().$type<Setting<'statistic'>>(),
      instrument: t.text(),
      counts_overload: t.boolean(),
      clock: t.text().$type<Setting<'clock'>>(),
    }),

    totals: table(
      'audio_data_totals',
      { ...sums(), dominant_frequency_hz: t.integer() },
      ({ seconds, bucket, max_db }) => [
        t.primaryKey({ name: 'audio_data_totals_pkey', columns: [seconds, bucket] }),
        t.index('audio_data_loud_minutes_idx').on(max_db, bucket).where(sql`seconds = 60`),
      ],
    ),

    histograms: table(
      'audio_data_histograms',
      {
        ...sums(),
        counted_at: count().notNull(),
        levels: t.integer().array().notNull(),
        frequencies: t.integer().array().notNull(),
      },
      ({ seconds, bucket }) => [
        t.primaryKey({ name: 'audio_data_histograms_pkey', columns: [seconds, bucket] }),
      ],
    ),

    history: table(
      'audio_data_history',
      {
        bucket: instant().notNull(),
        level_sum: t.bigint({ mode: 'bigint' }),
        power_sum: t.doublePrecision(),
        above_power_sum: t.doublePrecision(),
        minutes: t.smallint().notNull(),
        minute_count: t.smallint().notNull(),
        point_count: t.integer().notNull(),
        level_count: t.integer().notNull(),
        silence_count: t.integer().notNull(),
        under_range: t.integer().notNull(),
        clipped: t.integer().notNull(),
        min_db: t.real(),
        max_db: t.real(),
      },
      ({ minutes, bucket }) => [
        t.primaryKey({ name: 'audio_data_history_pkey', columns: [minutes, bucket] }),
      ],
    ),

    bands: table(
      'audio_data_bands',
      {
        seconds: t.integer().notNull(),
        bucket: instant().notNull(),
        band: t.integer(),
        point_count: t.integer().notNull(),
      },
      ({ seconds, bucket }) => [t.index('audio_data_bands_idx').on(seconds, bucket)],
    ),

    presence: table(
      'audio_data_presence',
      {
        seconds: t.integer().notNull(),
        bucket: instant().notNull(),
        first_at: instant().notNull(),
        last_at: instant().notNull(),
        gap_count: t.integer().notNull(),
        gap_micros: t.integer().notNull(),
        shortest: t.integer(),
        longest: t.integer(),
        longest_count: t.integer().notNull(),
        longest_at: instant(),
        second: t.integer(),
        repeated: t.integer().notNull().default(0),
      },
      ({ seconds, bucket }) => [
        t.primaryKey({ name: 'audio_data_presence_pkey', columns: [seconds, bucket] }),
      ],
    ),

    notes: table(
      'audio_data_notes',
      {
        bucket: instant().notNull(),
        seconds: t.integer().notNull(),
        kind: t.text({ enum: ['changed', 'waiting', 'sparse'] }).notNull(),
      },
      ({ kind, bucket }) => [t.index('audio_data_notes_idx').on(kind, bucket)],
    ),

    chunks: table('audio_data_chunks', {
      chunk: oid().primaryKey(),
      attached: xid().notNull(),
      first: instant().notNull(),
      last: instant().notNull(),
    }),

    refreshes: table('audio_data_refreshes', {
      only_row: onlyRow(),
      noting: t.text(),
      refreshed_at: instant().notNull().default(sql`now()`),
      raw_retention: t.text(),
      removed_until: instant(),
      waited: t.interval().notNull().default('00:00:00'),
      waited_at: instant().notNull().default(sql`now()`),
      sparse_below: t.integer().notNull().default(2880),
      triggers: t.text().notNull().default(''),
      is_hypertable: t.boolean().notNull().default(false),
      history_retention: t.text().notNull().default('10 years'),
      history_removed_until: instant(),
      history_waited: t.interval().notNull().default('00:00:00'),
      sparse_until: instant(),
    }),

    station: table('audio_data_station', {
      only_row: onlyRow(),
      place_name: t.text(),
      time_zone: t.text(),
      limits: t.text().notNull().default(''),
      calibration_offset_db: t.doublePrecision(),
      assess: t.text().$type<Assess>(),
      uncertainty_db: t.doublePrecision(),
      min_measured_percent: t.doublePrecision(),
      measurement: t.jsonb().$type<KeptMeasurement>(),
      weighting: t.text().$type<LimitWeighting>(),
    }),

    overload: table('audio_data_overload', {
      minute: instant().primaryKey(),
      overloaded: t.integer().notNull(),
    }),

    exclusions: table('audio_data_exclusions', {
      id: count().primaryKey().generatedByDefaultAsIdentity(),
      since: instant().notNull(),
      until: instant().notNull(),
      reason: t.text().notNull(),
      made_by: t.text(),
      made_at: instant().notNull().default(sql`now()`),
    }),

    calibrations: table('audio_data_calibrations', {
      time: instant().primaryKey(),
      level_db: t.doublePrecision().notNull(),
      frequency_hz: t.doublePrecision().notNull(),
      offset_db: t.doublePrecision().notNull(),
      channel: t.text().notNull(),
    }),
  };
}

export const stationSchema = t.pgSchema('@station');

export const tables = tablesIn(stationSchema);

/** The columns of points, from the table or from any relation that is named like it. */
export const audioData = t.alias(tables.points, 'audio_data');

const MARK = '"@station".';

/** @param schema unquoted; by default that of the connection. @returns the text of a statement for one schema */
export const textIn = (text: string, schema?: string): string =>
  text.replaceAll(MARK, () => (schema === undefined ? '' : `${identifier(schema)}.`));

/** The beginning of a COPY of points, for {@link textIn}. */
export const COPY_POINTS = `copy ${MARK}audio_data (${COLUMNS.join(', ')}) from`;
