import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Database } from '../../../../src/database/database.ts';
import { latestPoints } from '../../../../src/operations/audio/latest/query.ts';
import {
  connect,
  describeEachLayout,
  describeEachServer,
  describeServer,
  openForAll,
} from '../../../engines.ts';
import { NOW } from '../../../service.ts';
import { newestFirst, scatteredPoints, someClock, store } from '../../scattered.ts';

describeEachLayout('latestPoints', (engine) => {
  const database = openForAll(() => engine.open());

  it('returns the newest points wherever they are, and whatever the clock shows', async () => {
    await fc.assert(
      fc.asyncProperty(
        scatteredPoints,
        fc.integer({ min: 1, max: 50 }),
        fc.array(someClock, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (points, limit, clocks, columnstore) => {
          await store(database, points, columnstore && engine.name === 'TimescaleDB');
          const all = newestFirst(points);
          for (const now of clocks) {
            const latest = (await latestPoints(database, { limit, ahead: 'include' }, now)).toJSON();
            expect(latest.map(({ time }) => time)).toEqual(all.slice(0, limit).map(({ time }) => time));
            // if the limit cuts between points of equal time, any of them may be missing
            if (limit >= all.length) expect(newestFirst(latest)).toEqual(all);
          }
        },
      ),
      { numRuns: 15, seed: 1 },
    );
  });
});

describeEachServer('latestPoints', (engine) => {
  it('never loses or doubles a point that another connection moves back and forth', async () => {
    const database = await engine.open();
    const mover = await connect(database.url ?? '');
    const times = ['2026-03-01T11:00:00.000000Z', '2025-01-01T00:00:00.000000Z'];
    await database.sql(
      `insert into audio_data (time, rms_db) values ('${times[0]}', -1), ('2025-06-01Z', -2)`,
    );
    let moving = true;
    const moves = (async () => {
      for (let n = 1; moving; n++)
        await mover.query(`with moved as (delete from audio_data where rms_db = -1 returning rms_db)
          insert into audio_data (time, rms_db) select '${times[n % 2]}', rms_db from moved`);
    })();
    for (let n = 0; n < 50; n++) {
      const points = (await latestPoints(database, { limit: 10, ahead: 'omit' }, NOW)).toJSON();
      const levels = points.map((point) => point.rms_db);
      expect(levels.toSorted()).toEqual([-1, -2]);
    }
    moving = false;
    await moves;
    await mover.end();
    await database.close();
  });
});

describeServer('timescale', 'latestPoints with hundreds of chunks', (engine) => {
  it('plans only for the few chunks that hold the answer', async () => {
    const database = await engine.open();
    await database.sql(
      `insert into audio_data (time, rms_db) select timestamptz '${NOW}' - n * interval '1 day', -1
       from generate_series(0, 299) n`,
    );
    const planned: number[] = [];
    const explaining = (db: Database): Database => ({
      ...db,
      async query(statement, values) {
        const plan = { parameters: statement.parameters, text: `explain ${statement.text}` };
        planned.push(new Set(JSON.stringify(await db.query(plan, values)).match(/_hyper_\d+_\d+/g)).size);
        return db.query(statement, values);
      },
    });
    const count = async (limit: number, now: string) => {
      planned.length = 0;
      expect(
        await latestPoints({ ...database, db: explaining(database.db) }, { limit, ahead: 'omit' }, now),
      ).toMatchObject({
        count: limit,
      });
      return Math.max(...planned);
    };
    expect(await count(1, NOW)).toBeLessThanOrEqual(2);
    expect(await count(15, NOW)).toBeLessThanOrEqual(18);
    await database.close();
  });
});
