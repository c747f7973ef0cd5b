import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Point } from '../../../../src/contract/point.ts';
import { loudPoints } from '../../../../src/operations/events/loud/query.ts';
import type { Page, Position } from '../../../../src/points/page.ts';
import { describeEachLayout, openForAll } from '../../../engines.ts';
import { newestFirst, scatteredPoints, someClock, store } from '../../scattered.ts';

describeEachLayout('loudPoints', (engine) => {
  const database = openForAll(() => engine.open());

  it('delivers each loud point once, newest first, wherever they are and whatever the clock shows', async () => {
    const bound = fc.option(someClock);
    await fc.assert(
      fc.asyncProperty(
        scatteredPoints,
        fc.record({ a: bound, b: bound }),
        fc.constantFrom(-0.1, -7, -15, -50),
        fc.integer({ min: 1, max: 12 }),
        someClock,
        fc.boolean(),
        async (points, { a, b }, threshold, limit, now, columnstore) => {
          await store(database, points, columnstore && engine.name === 'TimescaleDB');
          const [from, to] = a !== null && b !== null && a > b ? [b, a] : [a, b];
          const loud = points.filter(
            (p) =>
              p.rms_db !== null &&
              p.rms_db > threshold &&
              (from === null || p.time >= from) &&
              (to === null || p.time < to),
          );
          const seen: Point[] = [];
          let position: Position | undefined;
          do {
            const page: Page = await loudPoints(database, { from, to }, threshold, limit, now, position);
            expect(page.points.toJSON()).toHaveLength(Math.min(limit, loud.length - seen.length));
            seen.push(...page.points.toJSON());
            position = page.next ?? undefined;
          } while (position);
          expect(seen).toEqual(newestFirst(loud));
        },
      ),
      { numRuns: 15, seed: 1 },
    );
  });

  it('continues among points that all have the last possible time', async () => {
    await store(database, [], false);
    await database.sql(
      `insert into audio_data (time, rms_db) select '9999-12-31T23:59:59.999999Z', -n from generate_series(1, 5) n`,
    );
    const page = (after?: Position) =>
      loudPoints(database, { from: null, to: null }, -50, 2, '2026-01-01T00:00:00.000000Z', after);
    const first = await page();
    const second = await page(first.next ?? undefined);
    const third = await page(second.next ?? undefined);
    const levels = [first, second, third].map((each) => each.points.toJSON().map((point) => point.rms_db));
    expect(levels).toEqual([[-5, -4], [-3, -2], [-1]]);
    expect(third.next).toBeNull();
  });
});
