import { beforeAll, expect, it } from 'vitest';
import { firstDifference } from '../../bench/compare.ts';
import { seriesOf, summaries } from '../../bench/query-pairs.ts';
import { describeOnWire, openForAll } from '../engines.ts';

const WINDOW = { from: '2026-02-01T00:00:00.000000Z', to: '2026-02-01T01:00:00.000000Z' };

describeOnWire('The queries of the bench', (engine) => {
  const database = openForAll(() => engine.open());
  beforeAll(async () => {
    // one point alone, equal levels, and different levels; the mean of equal levels has only one correct value
    await database.sql(`
      insert into audio_data (time, rms_db, frequency_hz) values
        ('2026-02-01T00:00:01Z', -39.03053, 440),
        ('2026-02-01T00:06:01Z', -10.2, 440), ('2026-02-01T00:06:02Z', -10.2, 441),
        ('2026-02-01T00:11:01Z', -30.7, 440), ('2026-02-01T00:11:02Z', -10.1, 440),
        ('2026-02-01T00:16:01Z', null, null)`);
  });

  it.each([
    ['a chart', (window: typeof WINDOW) => seriesOf(database, window, 300)],
    ['a summary', (window: typeof WINDOW) => summaries(database, window)],
    [
      'a summary of one point',
      (window: typeof WINDOW) => summaries(database, { ...window, to: '2026-02-01T00:01:00.000000Z' }),
    ],
  ])('have the same answer as the queries written by hand: %s', async (_, pairOf) => {
    const pair = pairOf(WINDOW);
    expect(firstDifference(await pair.ours(), await pair.raw())).toBeUndefined();
  });
});
