// A database without rollups: answers come from the points alone.
import { createAnnotationMemory } from '../src/database/annotation-memory.ts';
import { createHistogramCache } from '../src/rollups/histogram-cache.ts';
import { createStateMemory } from '../src/rollups/rollup-state.ts';
import type { Rollups } from '../src/rollups/store.ts';

/** Clears everything cached about other databases. */
export function noRollups(): Rollups {
  const annotations = createAnnotationMemory();
  return {
    check: async () => ({ state: 'none', isHypertable: false }),
    inUse: async () => false,
    memory: createStateMemory(),
    histograms: createHistogramCache(),
    annotations: {
      ...annotations,
      begin: async () => {},
      latest: async () => annotations.known(),
    },
  };
}
