// More points than one transaction stores or removes, on every database.
import { afterEach, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import {
  type HowToStore,
  PointsFound,
  removePoints,
  storePoints,
} from '../../src/recorder/storing/point-store.ts';
import { andOnCitus, describeEachEngine, openForAll } from '../engines.ts';

const COUNT = 1200;
const STEP = 500;
const T0 = Date.UTC(2026, 0, 1);
const at = (n: number) => `${new Date(T0 + 100 * n).toISOString().slice(0, -1)}000Z`;

/** Ten points a second, of one level; `order` gives their sequence. */
async function* points(level: number, count = COUNT, order = (n: number) => n) {
  for (let from = 0; from < count; from += 50)
    yield Array.from({ length: 50 }, (_, n) => `${at(order(from + n))},${level},,false\n`).join('');
}

andOnCitus(describeEachEngine)('Points in several steps', (engine) => {
  const test = openForAll(() => engine.open());
  afterEach(() => test.sql('truncate audio_data'));
  const said: string[] = [];
  const how = (mode: HowToStore['mode'], isOrdered = true): HowToStore => ({
    mode,
    whole: { islands: [{ first: at(0), last: at(COUNT - 1) }], isOrdered },
    pointsAStep: STEP,
    progress: (line) => said.push(line),
  });
  /** The number of points per level, and whether they reach the end. */
  const stored = () =>
    test.sql(
      `select rms_db as level, count(*)::int as n, count(distinct time)::int as times, max(time) = $1 as whole
       from audio_data group by 1 order by 1`,
      [at(COUNT - 1)],
    );
  const all = (level: number) => [{ level, n: COUNT, times: COUNT, whole: true }];

  /** A database that is lost after some transactions. */
  function losing(after: number): Database {
    let left = after;
    return {
      ...test.db,
      transaction: (...args) =>
        left-- > 0 ? test.db.transaction(...args) : Promise.reject(new Error('lost')),
    };
  }

  it('are stored in steps. The same command finishes an interrupted replacement or removal', async () => {
    // the first transaction checks whether there are points
    await expect(storePoints(losing(3), points(-1), how('new'))).rejects.toThrow('lost');
    expect(said).toEqual([
      `Stored only 1,000 points, ${at(0)} to ${at(999)}. Run the same command with --replace to store all points.`,
    ]);
    expect(await stored()).toEqual([{ level: -1, n: 1000, times: 1000, whole: false }]);
    const found = await storePoints(test.db, points(-1), how('new')).catch((error) => error);
    expect(found).toBeInstanceOf(PointsFound);
    expect(found.found).toEqual({ count: 1000, first: at(0), last: at(999) });

    // each step first counts the existing points
    await expect(storePoints(losing(4), points(-2), how('replace'))).rejects.toThrow('lost');
    expect((await stored()).map(({ n }) => n)).toEqual([1000]);
    expect(await storePoints(test.db, points(-3), how('replace'))).toEqual({
      count: 1000,
      first: at(0),
      last: at(999),
    });
    expect(await stored()).toEqual(all(-3));

    const interval = { first: at(0), last: at(COUNT - 2) };
    await expect(removePoints(losing(1), interval, () => {}, STEP)).rejects.toThrow('lost');
    expect((await stored())[0]).toMatchObject({ n: 700, whole: true });
    expect(await removePoints(test.db, interval, () => {}, STEP)).toEqual({
      count: 699,
      first: at(500),
      last: at(COUNT - 2),
    });
    expect((await stored())[0]).toMatchObject({ n: 1, whole: true });
  });

  it('between the points of two steps are replaced too, and others stay', async () => {
    await test.sql(`insert into audio_data values ('${at(499)}'::timestamptz + interval '1 ms', -9, null, false),
      ('${at(0)}'::timestamptz - interval '1 ms', -9, null, false), ('${at(COUNT)}', -9, null, false)`);
    expect(await storePoints(test.db, points(-3), how('replace'))).toMatchObject({ count: 1 });
    expect((await stored()).map(({ level, n }) => [level, n])).toEqual([
      [-9, 2],
      [-3, COUNT],
    ]);
  });

  it('that arrive newest first are stored and replaced, each once', async () => {
    const backwards = (level: number) => points(level, COUNT, (n) => COUNT - 1 - n);
    await storePoints(test.db, backwards(-1), how('new', false));
    expect(await stored()).toEqual(all(-1));
    await expect(storePoints(test.db, backwards(-1), how('new', false))).rejects.toThrow(PointsFound);
    await storePoints(test.db, backwards(-2), how('replace', false));
    expect(await stored()).toEqual(all(-2));
  });
});
