// Lists the rollups (drizzle/0003) that speed up statistics of long intervals, and how statements count points.
import { FLOOR_DB } from '../contract/level-unit.ts';
import { getTableName, sql } from './drizzle.ts';
import { tables } from './schema.ts';

/**
 * `total`: sums and the dominant frequency of a bucket. `histogram`: the same sums, and a count per level and per
 * frequency. `band`: a count per frequency band. `presence`: the first and last point of a minute, and its gaps.
 */
export type RollupKey = 'total' | 'histogram' | 'band' | 'presence';

/** The table of each kind, with the length of a bucket in its column `seconds`. */
const { totals: total, histograms: histogram, bands: band, presence, notes, chunks, refreshes } = tables;
export const ROLLUP_TABLES = { total, histogram, band, presence } satisfies Record<RollupKey, object>;

/**
 * The lengths of the buckets, longest first: all that a chart can have, from a minute up. A bucket starts at a multiple
 * of its length since 1970, UTC.
 *
 * Every length has totals. Histograms and bands have few lengths, and are summed for the others.
 */
const LENGTHS: readonly { seconds: number; keys: readonly RollupKey[] }[] = [
  { seconds: 86_400, keys: ['total', 'histogram'] },
  { seconds: 43_200, keys: ['total'] },
  { seconds: 21_600, keys: ['total'] },
  { seconds: 10_800, keys: ['total'] },
  { seconds: 7200, keys: ['total'] },
  { seconds: 3600, keys: ['total', 'band'] },
  { seconds: 1800, keys: ['total', 'histogram'] },
  { seconds: 900, keys: ['total'] },
  { seconds: 600, keys: ['total'] },
  { seconds: 300, keys: ['total', 'histogram', 'band'] },
  { seconds: 120, keys: ['total'] },
  { seconds: 60, keys: ['total', 'presence'] },
];

/** The lengths of the buckets of history (drizzle/0011) in minutes, longest first. */
export const HISTORY_MINUTES: readonly number[] = [1440, 30, 1];

export interface Rollup {
  readonly key: RollupKey;
  readonly seconds: number;
}

/** The rollups of one kind, longest buckets first. */
export const rollupsOf = (key: RollupKey): Rollup[] =>
  LENGTHS.filter(({ keys }) => keys.includes(key)).map(({ seconds }) => ({ key, seconds }));

/** The rollups, and the relations that record their freshness. A role that reads rollups needs all of them. */
export const ROLLUP_RELATIONS = [...Object.values(ROLLUP_TABLES), notes, chunks, refreshes].map(getTableName);

/** The functions that report the freshness of rollups, refresh them and remove old points. A reader may call all. */
export const ROLLUP_FUNCTIONS = [
  'audio_data_rollup_state(timestamptz, timestamptz)',
  'audio_data_noting()',
  'audio_data_history_days(timestamptz, timestamptz)',
  'audio_data_changed_chunks()',
  'audio_data_refresh(integer)',
  'audio_data_remove_old(double precision)',
];

const COLUMNS = [
  'point_count',
  'level_sum',
  'min_db',
  'max_db',
  'power_sum',
  'silence_count',
  'level_count',
  'above_power_sum',
  'under_range',
  'clipped',
] as const;
export type TotalsColumn = (typeof COLUMNS)[number];

/** @param unread columns that are null instead: a union would convert their values */
export const totalsColumns = (unread: readonly TotalsColumn[] = []) =>
  sql.raw(COLUMNS.map((name) => (unread.includes(name) ? 'null' : name)).join());

/** The same columns, with the types of a TotalsRow. */
const TYPED = COLUMNS.map((name) => (name === 'level_sum' ? 'level_sum::text' : name));
export const TOTALS = sql.raw(TYPED.join());

/** The same, each in an array of all rows. @param unread columns to leave out */
export const totalsInArrays = (unread: readonly TotalsColumn[]) =>
  sql.raw(
    COLUMNS.flatMap((name, at) => (unread.includes(name) ? [] : `array_agg(${TYPED[at]}) as ${name}`)).join(),
  );

/** The level of a point in tenths of a dB. */
export const LEVEL = sql.raw('(rms_db::float8 * 10)::int');
export const FLOOR = sql.raw(String(FLOOR_DB * 10));
const CEILING = sql.raw('0');

/**
 * The totals of points of one level, from which {@link TOTALS_OF_LEVELS} are computed.
 *
 * Levels add up as whole multiples of 2^-32 dB (exact for a real below -0.002 dB): a sum of floats, and so avg_db,
 * would depend on the order. The power is a float, so the last digits of leq_db may depend on it.
 */
export const TOTALS_OF_LEVEL = sql.raw(`
      count(*) as point_count,
      sum((rms_db::float8 * 4294967296)::bigint) as level_sum,
      min(rms_db) as min_db,
      max(rms_db) as max_db,
      sum(power(10::float8, rms_db::float8 / 10)) as power_sum,
      count(*) filter (where is_silence) as silence_count`);

/** Totals of rows that have a column `level`; it is null for points without a level. */
export const TOTALS_OF_LEVELS = sql`
      coalesce(sum(point_count), 0) as point_count,
      coalesce(sum(point_count) filter (where level is not null), 0) as level_count,
      sum(level_sum) as level_sum,
      min(min_db) as min_db,
      max(max_db) as max_db,
      sum(power_sum) as power_sum,
      sum(power_sum) filter (where level > ${FLOOR}) as above_power_sum,
      coalesce(sum(silence_count), 0) as silence_count,
      coalesce(sum(point_count) filter (where level = ${FLOOR}), 0) as under_range,
      coalesce(sum(point_count) filter (where level = ${CEILING}), 0) as clipped`;

/** The totals of some points, in the order of {@link totalsColumns}, as audio_data_totals (drizzle/0003) has them. */
export const TOTALS_OF_POINTS = sql`${TOTALS_OF_LEVEL},
      count(rms_db) as level_count,
      sum(power(10::float8, rms_db::float8 / 10)) filter (where ${LEVEL} > ${FLOOR}) as above_power_sum,
      count(*) filter (where ${LEVEL} = ${FLOOR}) as under_range,
      count(*) filter (where ${LEVEL} = ${CEILING}) as clipped`;

/** The sum of counts. As floats, exact up to 2^53: PostgreSQL adds bigints as numerics, which takes longer. */
export const countSum = (name: string) => sql.raw(`sum(${name}::float8)::bigint as ${name}`);

/** Sums every column, except the minimum and maximum level. */
export const TOTALS_OF_TOTALS = sql.join(
  COLUMNS.map((name) => {
    if (name === 'min_db' || name === 'max_db') return sql.raw(`${name.slice(0, 3)}(${name}) as ${name}`);
    return name.endsWith('_sum') ? sql.raw(`sum(${name}) as ${name}`) : countSum(name);
  }),
  sql`,`,
);
