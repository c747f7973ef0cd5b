// Compares rollups with many points in many windows while the points change.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, it } from 'vitest';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import { connect, describeServer, engines, openForAll, type TestDatabase } from '../../engines.ts';
import { seeded, soakNumber, soakSeed } from '../../seeded.ts';
import { changes, pointsIn, toColumnstore } from '../changing-points.ts';
import { comparisons } from '../comparisons.ts';

/** How many windows are compared while points change. */
const WINDOWS = soakNumber('SUMMARY_WINDOWS', 15);
const timeout = WINDOWS * 20_000;

/** The half hours of each day that have points: more than in the suite. */
const SOME = Array.from({ length: 12 }, (_, n) => 4 * n);
const random = seeded(soakSeed());
const { change, plainChange } = changes(random, SOME);
/** Makes some of the days sparse. */
const MIXED = 'update audio_data_refreshes set sparse_below = 490';

async function fill({ sql }: TestDatabase, engine: string) {
  await sql(MIXED);
  await sql(pointsIn(SOME));
  if (engine === 'TimescaleDB') await sql(toColumnstore);
  await refreshRollups(sql, 100_000);
}

describe.each(engines.filter(({ available }) => available))('rollups on $name', (engine) => {
  const test = openForAll(() => engine.open());
  const { compareAtOnce, compare } = comparisons(test, random);
  beforeAll(() => fill(test, engine.name));

  it('equal the points, even with unrefreshed changes', { timeout }, async () => {
    for (let round = 0; round < WINDOWS / 20; round++) {
      for (let n = 0; n < 4; n++) await test.sql(plainChange());
      for (let n = 0; n < 5; n++) await compareAtOnce();
      await compare(4);
      if (round % 2 === 0) await refreshRollups(test.sql, 100_000);
    }
  });
});

describeServer('postgres', 'rollups', (engine) => {
  const test = openForAll(() => engine.open());
  beforeAll(() => fill(test, engine.name));

  it.each([
    ['others change them and refresh', 'null', 'select'],
    [
      'points that are too old arrive and are removed',
      `(now() - '2026-02-07Z')::text`,
      'select audio_data_remove_old(0)',
    ],
  ])('equal the points while %s', { timeout }, async (_, retention, remove) => {
    const { compareAtOnce, compare } = comparisons(test, random, retention !== 'null'); // history has whole minutes
    await test.sql(
      `update audio_data_refreshes set raw_retention = ${retention}, removed_until = now() - ${retention}::interval`,
    );
    let isChanging = true;
    let isBehind = false;
    const refresh = 'select audio_data_refresh(20000)';
    const work = async (next: () => string) => {
      const client = await connect(test.url ?? '');
      while (isChanging) {
        await client.query(isBehind ? refresh : next());
        await sleep(20); // without a pause, every bucket would always be changed
      }
      await client.end();
    };
    const others = [
      work(plainChange),
      work(() => `begin; ${plainChange()}; select pg_sleep(0.02); ${plainChange()}; commit`),
      work(() => remove),
      work(() => refresh),
    ];
    try {
      for (let n = 0; n < WINDOWS; n++) {
        await compareAtOnce();
        // a machine may change points faster than it counts them
        [{ isBehind }] = await test.sql('select count(*) > 10000 as "isBehind" from audio_data_notes');
      }
    } finally {
      isChanging = false;
      await Promise.all(others);
    }
    await refreshRollups(test.sql, 100_000);
    await compare(10);
  });
});

describeServer('timescale', 'rollups', (engine) => {
  const test = openForAll(() => engine.open());
  const { compareAtOnce, compare } = comparisons(test, random);

  it('equal the points while others change them, move chunks and refresh', { timeout }, async () => {
    await fill(test, engine.name);
    const clients = [await connect(test.url ?? ''), await connect(test.url ?? '')] as const;
    let isChanging = true;
    const others = clients.map(async (client) => {
      while (isChanging) await change(client);
    });
    try {
      for (let n = 0; n < WINDOWS; n++) await compareAtOnce();
    } finally {
      isChanging = false;
      await Promise.all(others);
    }
    await refreshRollups(test.sql, 100_000);
    await compare(20);
    await Promise.all(clients.map((client) => client.end()));
  });
});
