// A database without rollups: answers come from the points alone.
import { createStateMemory } from '../src/store/rollup-state.ts';
import type { Rollups } from '../src/store/store.ts';

export const NO_ROLLUPS: Rollups = {
  inUse: async () => false,
  whyNot: () => 'none',
  isHypertable: async () => false,
  memory: createStateMemory(),
  histograms: { async *read() {} },
  periods: { known: () => [], see: async () => true },
};
