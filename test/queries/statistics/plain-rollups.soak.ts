// Rollups that are tables, compared with many points in many windows while these change.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, it } from 'vitest';
import { refreshRollups } from '../../../src/store/refresh-rollups.ts';
import { connect, describeServer, engines, openForAll } from '../../engines.ts';
import { seeded, soakSeed } from '../../seeded.ts';
import { ALL, changes, pointsIn } from '../changing-points.ts';
import { comparisons } from '../comparisons.ts';

/** How many windows are compared while points change. */
const { SUMMARY_WINDOWS = '15' } = process.env;
const WINDOWS = Number(SUMMARY_WINDOWS);

const random = seeded(soakSeed());
const { plainChange } = changes(random, ALL);

describe.each(engines.filter(({ name, available }) => name !== 'TimescaleDB' && available))(
  'rollups that are tables, on $name',
  (engine) => {
    const test = openForAll(() => engine.open());
    const { compareAtOnce, compare } = comparisons(test, random);
    beforeAll(async () => {
      await test.sql(pointsIn(ALL));
      await refreshRollups(test.sql, 48);
    });

    it('equal the points, also where some have changed since', async () => {
      for (let round = 0; round < WINDOWS / 20; round++) {
        for (let n = 0; n < 4; n++) await test.sql(plainChange());
        for (let n = 0; n < 5; n++) await compareAtOnce();
        await compare(4);
        if (round % 2 === 0) await refreshRollups(test.sql, 48);
      }
    });
  },
);

describeServer('postgres', 'rollups that are tables', (engine) => {
  const test = openForAll(() => engine.open());
  const { compareAtOnce, compare } = comparisons(test, random);
  beforeAll(async () => {
    await test.sql(pointsIn(ALL));
    await refreshRollups(test.sql, 48);
  });

  it.each([
    ['others change them and refresh', 'null', 'select'],
    [
      'points that are too old arrive and are removed',
      `(now() - '2026-02-07Z')::text`,
      'select audio_data_remove_old()',
    ],
  ])('equal the points while %s', async (_, retention, remove) => {
    await test.sql(`update audio_data_refreshes set raw_retention = ${retention}`);
    let isChanging = true;
    const work = async (next: () => string) => {
      const client = await connect(test.url ?? '');
      while (isChanging) {
        await client.query(next());
        await sleep(20); // else every bucket has always changed
      }
      await client.end();
    };
    const others = [
      work(plainChange),
      work(() => `begin; ${plainChange()}; select pg_sleep(0.02); ${plainChange()}; commit`),
      work(() => remove),
      work(() => 'select audio_data_refresh(48)'),
    ];
    try {
      for (let n = 0; n < WINDOWS; n++) await compareAtOnce();
    } finally {
      isChanging = false;
      await Promise.all(others);
    }
    await refreshRollups(test.sql, 48);
    await compare(10);
  });
});
