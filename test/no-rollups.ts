// A database without rollups: answers come from the points alone.
import { createAnnotationMemory } from '../src/db/annotation-memory.ts';
import { createHistogramCache } from '../src/store/histogram-cache.ts';
import { createStateMemory } from '../src/store/rollup-state.ts';
import type { Rollups } from '../src/store/store.ts';

const annotations = createAnnotationMemory(async () => true);

export const NO_ROLLUPS: Rollups = {
  check: async () => ({ state: 'none', isHypertable: false, canExclude: true }),
  inUse: async () => false,
  memory: createStateMemory(),
  histograms: createHistogramCache(),
  annotations: {
    ...annotations,
    begin: async () => {},
    latest: async () => annotations.known(),
  },
};
