// A database without rollups: answers come from the points alone.
import type { Rollups } from '../src/store/store.ts';

export const NO_ROLLUPS: Rollups = {
  inUse: async () => false,
  whyNot: () => 'none',
  recentState: async () => ({ fresh: {}, chunks: null }),
  remember: () => {},
  histograms: { read: async () => [] },
  timescaledb: async () => undefined,
  areTables: async () => false,
};
