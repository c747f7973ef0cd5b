// The rollups (drizzle/0003, 0005): the statistics of long windows are made from them, on TimescaleDB.

/** `total`: sums and the dominant frequency of a bucket. `histogram`: the same sums, and a count for each level and frequency. */
export const KEYS = ['total', 'histogram'] as const;
export type RollupKey = (typeof KEYS)[number];

/**
 * The lengths of the buckets, coarsest first: all that a chart can have from a minute up. A bucket starts at a
 * multiple of its length since 1970, UTC.
 *
 * Each length has the totals of its buckets. Buckets add up to the statistics of any longer time where they have
 * histograms too.
 */
export const RESOLUTIONS = [
  { name: '1d', seconds: 86_400, isCounted: true },
  { name: '12h', seconds: 43_200, isCounted: false },
  { name: '6h', seconds: 21_600, isCounted: false },
  { name: '3h', seconds: 10_800, isCounted: false },
  { name: '2h', seconds: 7200, isCounted: false },
  { name: '1h', seconds: 3600, isCounted: false },
  { name: '30m', seconds: 1800, isCounted: true },
  { name: '15m', seconds: 900, isCounted: false },
  { name: '10m', seconds: 600, isCounted: false },
  { name: '5m', seconds: 300, isCounted: true },
  { name: '2m', seconds: 120, isCounted: false },
  { name: '1m', seconds: 60, isCounted: false },
] as const;
export type Resolution = (typeof RESOLUTIONS)[number]['name'];

/**
 * TimescaleDB notes changes only of points before a threshold (internal-catalog.ts). Refreshes put it just behind now,
 * where it can pass a point that is being written, and nobody would note that one. So migrations move it here,
 * once.
 */
export const NOTED_BEFORE = '2100-01-01T00:00:00Z';

export function rollupName(key: RollupKey, resolution: Resolution): string {
  return `audio_data_${key}_${resolution}`;
}

export const ROLLUPS = RESOLUTIONS.flatMap(({ name: resolution, seconds, isCounted }) =>
  (isCounted ? KEYS : (['total'] as const)).map((key) => ({
    name: rollupName(key, resolution),
    resolution,
    seconds,
    /** Whether the columnstore makes it smaller: it does not where there are few rows, or large ones. */
    isColumnstore: key === 'total' && seconds < 3600,
    /** Stored as soon as it can be: what it lacks is counted from the points, with each question about now. */
    isPrompt: isCounted && seconds < 1800,
    /** Kept for the last days only: it is large, and spares the most where most is asked. */
    isRecent: key === 'histogram' && seconds < 1800,
  })),
);

/** The functions that reading them takes. */
export const FUNCTIONS = [
  'audio_data_rollup_state(boolean)',
  'histogram(double precision, double precision, double precision, integer)',
] as const;
