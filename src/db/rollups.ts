// Lists the rollups from which statistics of long windows are answered (drizzle/0003).

/**
 * `total`: sums and the dominant frequency of a bucket. `histogram`: the same sums, and a count for each level and
 * frequency. `band`: a count for each band of frequencies. `presence`: the first and the last point of a minute, and
 * the gaps in it.
 */
export type RollupKey = 'total' | 'histogram' | 'band' | 'presence';

/** The table of each kind, with the length of a bucket in its column `seconds`. */
export const ROLLUP_TABLES: Readonly<Record<RollupKey, string>> = {
  total: 'audio_data_totals',
  histogram: 'audio_data_histograms',
  band: 'audio_data_bands',
  presence: 'audio_data_presence',
};

/**
 * The lengths of the buckets, longest first: all that a chart can have from a minute up. A bucket starts at a
 * multiple of its length since 1970, UTC.
 *
 * Each length has the totals of its buckets. Buckets add up to the statistics of any longer time if they have
 * histograms too, and to the bands of any longer time if they have bands.
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

/** The buckets of one kind and length. */
export interface Rollup {
  readonly key: RollupKey;
  readonly seconds: number;
}

/** The rollups of one kind, longest buckets first. */
export function rollupsOf(key: RollupKey): Rollup[] {
  return LENGTHS.filter(({ keys }) => keys.includes(key)).map(({ seconds }) => ({ key, seconds }));
}

/** The rollups, and what says how fresh they are: whoever reads one needs all. */
export const ROLLUP_RELATIONS = [
  ...Object.values(ROLLUP_TABLES),
  'audio_data_notes',
  'audio_data_chunks',
  'audio_data_refreshes',
];

/** The functions that say how fresh they are, refresh them, and remove old points. A reader may call all of them. */
export const ROLLUP_FUNCTIONS = [
  'audio_data_rollup_state(timestamptz, timestamptz)',
  'audio_data_noting()',
  'audio_data_changed_chunks()',
  'audio_data_refresh(integer)',
  'audio_data_remove_old(double precision)',
];
