// The rollups (drizzle/0002): what the statistics of long windows are added up from, on TimescaleDB.

/** What a rollup counts by: all points of a bucket together, each level, each frequency. */
export const ROLLUP_KEYS = ['total', 'level', 'frequency'] as const;
export type RollupKey = (typeof ROLLUP_KEYS)[number];

/** The lengths of the buckets, coarsest first. A bucket starts at a multiple of its length since 1970, UTC. */
export const RESOLUTIONS = [
  { name: '1d', seconds: 86_400 },
  { name: '2h', seconds: 7200 },
  { name: '1h', seconds: 3600 },
] as const;
export type Resolution = (typeof RESOLUTIONS)[number]['name'];

export function rollupName(key: RollupKey, resolution: Resolution): string {
  return `audio_data_${key}_${resolution}`;
}

export const ROLLUPS = RESOLUTIONS.flatMap(({ name: resolution, seconds }) =>
  ROLLUP_KEYS.map((key) => ({ name: rollupName(key, resolution), key, resolution, seconds })),
);
