import fc from 'fast-check';
import { it } from 'vitest';
import { describeEachEngine, openForAll } from '../engines.ts';
import { findsEveryGap, startQuality } from './any-gaps.ts';

describeEachEngine('stats.quality', (engine) => {
  const service = openForAll(() => startQuality(engine));

  it('finds every gap and no others, wherever minutes start', () =>
    fc.assert(findsEveryGap(service), { numRuns: 40 }));
});
