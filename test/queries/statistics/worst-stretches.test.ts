// The worst stretches against their definition over all the points.
import { expect, it } from 'vitest';
import { instantOfMicros, microsOf } from '../../../src/contract/instant.ts';
import { worstStretches } from '../../../src/queries/statistics/worst-stretches.ts';
import { refreshRollups } from '../../../src/store/refresh-rollups.ts';
import { describeEachEngine, engines, openForAll } from '../../engines.ts';
import { seeded } from '../../seeded.ts';
import { insertPoints } from '../../service.ts';
import { DENSE_DAYS } from '../changing-points.ts';
import { type Sample, worstBy } from './worst-definition.ts';

const START = microsOf('2026-02-10T00:00:00Z');
const SECOND = 1_000_000n;
const BLOCK_SECONDS = 600;
const BLOCKS = 288; // two days

describeEachEngine('the worst stretches equal those of the points', (engine) => {
  const chance = seeded(engines.indexOf(engine));
  const random = (below: number) => Math.floor(chance() * below);
  const some = <Value>(values: readonly Value[], fallback: Value) =>
    values[random(values.length)] ?? fallback;
  const test = openForAll(() => engine.open());
  const samples: Sample[] = [];
  const settle = () => refreshRollups(test.sql, 100_000);

  async function add(more: readonly Sample[]) {
    samples.push(...more);
    await test.sql(
      insertPoints(more.map(({ at, level, frequency }) => [instantOfMicros(at), level, frequency])),
    );
  }

  /** Blocks of one loudness and one sound: some without a point, some without a level or without a frequency. */
  function someBlock(block: number): Sample[] {
    if (random(10) === 0) return [];
    const [level, frequency] = [
      some([null, 0, 10, 20, 30, 40], null),
      some([null, 100, 125, 126, 315, 8000], null),
    ];
    const quiet = random(3) > 0 ? 0 : level;
    return Array.from({ length: 15 }, () => ({
      at: START + BigInt(block * BLOCK_SECONDS) * SECOND + BigInt(random(BLOCK_SECONDS * 1_000_000)),
      level: quiet === null || random(10) === 0 ? null : Math.max(-50, -44 + quiet - random(500) / 100),
      frequency: random(4) > 0 ? frequency : some([null, 100 + random(7900)], null),
    }));
  }

  async function compare(rounds: number) {
    let found = 0;
    for (let n = 0; n < rounds; n++) {
      const end = () => BigInt(random(BLOCKS * BLOCK_SECONDS * 1_000_000)) + START;
      const from = n === 0 ? START : end();
      const bucketSeconds = some([10, 60, 300, 900, 1800, 3600, 21_600], 900);
      const length = BigInt(random(bucketSeconds === 10 ? 40_000 : BLOCKS * BLOCK_SECONDS)) * SECOND;
      const range = { from, to: from + length + 1n };
      const interval = { from: instantOfMicros(range.from), to: instantOfMicros(range.to) };
      const limit = some([1, 3, 100], 3);
      const expected = worstBy(samples, range, bucketSeconds).slice(0, limit);
      const worst = await worstStretches(test, interval, bucketSeconds, limit);
      expect(worst, JSON.stringify({ interval, bucketSeconds, limit })).toEqual(expected);
      found += worst.length;
    }
    expect(found).toBeGreaterThan(rounds);
  }

  it('while rollups are fresh, with late points that none holds yet, and after the next refresh', async () => {
    await test.sql(DENSE_DAYS);
    await add(Array.from({ length: BLOCKS }, (_, block) => someBlock(block)).flat());
    await settle();
    await compare(8);
    await add(Array.from({ length: 20 }, () => someBlock(random(BLOCKS))).flat());
    await compare(4);
    await settle();
    await compare(4);
  });

  it('is empty without a point, without a level, or if all levels are equal', async () => {
    await test.sql('truncate audio_data');
    const hour = { from: '2026-02-10T00:00:00.000000Z', to: '2026-02-10T01:00:00.000000Z' };
    const points = (level: string) =>
      test.sql(`insert into audio_data (time, rms_db, frequency_hz)
        select '2026-02-10Z'::timestamptz + n * interval '1 s', ${level}, 440 from generate_series(0, 3599) n`);
    expect(await worstStretches(test, hour, 60, 3)).toEqual([]);
    await points('null');
    expect(await worstStretches(test, hour, 60, 3)).toEqual([]);
    await points('-31.27');
    expect(await worstStretches(test, hour, 60, 3)).toEqual([]);
    await settle();
    expect(await worstStretches(test, hour, 60, 3)).toEqual([]);
  });
});
