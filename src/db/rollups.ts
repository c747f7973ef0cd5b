// Lists the rollups from which statistics of long windows are answered: continuous aggregates of TimescaleDB
// (drizzle/0003), or tables of the same names and columns (drizzle/0004).
//
// Tables on TimescaleDB too were tried on 6.9 million points (2.28.3): a single insert took 1.47 times the processor
// time and a batch of 1,000 1.10, and a DELETE of 112,200 points in the columnstore, 8 ms with aggregates, was refused.
// Only triggers for each row see deletions of a hypertable, and for these TimescaleDB must take batches out of columns.

/**
 * `total`: sums and the dominant frequency of a bucket. `histogram`: the same sums, and a count for each level and
 * frequency. `band`: a count for each band of frequencies. `presence`: in which seconds there are points.
 */
export type RollupKey = 'total' | 'histogram' | 'band' | 'presence';

/**
 * The lengths of the buckets, longest first: all that a chart can have from a minute up. A bucket starts at a
 * multiple of its length since 1970, UTC.
 *
 * Each length has the totals of its buckets. Buckets add up to the statistics of any longer time where they have
 * histograms too, and to the bands of any longer time where they have bands.
 */
const LENGTHS = [
  { name: '1d', seconds: 86_400, keys: ['total', 'histogram'] },
  { name: '12h', seconds: 43_200, keys: ['total'] },
  { name: '6h', seconds: 21_600, keys: ['total'] },
  { name: '3h', seconds: 10_800, keys: ['total'] },
  { name: '2h', seconds: 7200, keys: ['total'] },
  { name: '1h', seconds: 3600, keys: ['total', 'band'] },
  { name: '30m', seconds: 1800, keys: ['total', 'histogram'] },
  { name: '15m', seconds: 900, keys: ['total'] },
  { name: '10m', seconds: 600, keys: ['total'] },
  { name: '5m', seconds: 300, keys: ['total', 'histogram', 'band'] },
  { name: '2m', seconds: 120, keys: ['total'] },
  { name: '1m', seconds: 60, keys: ['total', 'presence'] },
] as const;
export type Resolution = (typeof LENGTHS)[number]['name'];

export const RESOLUTIONS: readonly { name: Resolution; seconds: number; keys: readonly RollupKey[] }[] =
  LENGTHS;

/**
 * TimescaleDB notes changes only of points before a threshold (internal-catalog.ts). Refreshes move it to just behind
 * now, where it can pass a point that is being written; the change would go unnoted. So migrations move it here, once.
 */
export const NOTED_BEFORE = '2100-01-01T00:00:00Z';

export function rollupName(key: RollupKey, resolution: Resolution): string {
  return `audio_data_${key}_${resolution}`;
}

/** The lengths that have a rollup of a kind, longest first. */
export function resolutionsOf(key: RollupKey) {
  return RESOLUTIONS.filter(({ keys }) => keys.includes(key));
}

export const ROLLUPS = RESOLUTIONS.flatMap(({ name: resolution, seconds, keys }) =>
  keys.map((key) => ({
    name: rollupName(key, resolution),
    resolution,
    seconds,
    /** Whether the columnstore makes it smaller: not if its rows are few or large. */
    isColumnstore: key === 'band' || key === 'presence' || (key === 'total' && seconds < 3600),
    /** Refreshed every minute: each query about now counts from the points what it lacks. */
    isPrompt: keys.includes('histogram') && seconds < 1800,
    /** Kept for the last days only: it is large, and most queries are about these days. */
    isRecent: key === 'histogram' && seconds < 1800,
  })),
);

/** The functions that read them, as a SQL array of signatures. TimescaleDB may have a schema of its own. */
export const FUNCTIONS = `array_remove(array['audio_data_rollup_state(boolean)', (
  select format('%I.histogram(float8, float8, float8, int)', nspname)
  from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'timescaledb')], null)`;

/** What says how fresh they are where they are tables (drizzle/0004). */
export const NOTES = ['audio_data_changes', 'audio_data_refreshes', 'audio_data_rollups'];

/** What stores what has changed since, and removes old points, where they are tables: a SQL array of signatures. */
export const REFRESHES = `array['audio_data_refresh(integer)', 'audio_data_remove_old()']`;
