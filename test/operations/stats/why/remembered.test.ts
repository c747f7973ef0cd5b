// The causes of past parts stay in memory until something that they depend on changes.
import { beforeEach, expect, it } from 'vitest';
import { JUDGEMENT } from '../../../../src/contract/limits.ts';
import { limitParts } from '../../../../src/operations/stats/limits/limit-parts.ts';
import { causesOf } from '../../../../src/operations/stats/why/query.ts';
import { refreshRollups } from '../../../../src/rollups/refresh-rollups.ts';
import { consistently, type Store } from '../../../../src/rollups/store.ts';
import { describeEachEngine, openForAll } from '../../../engines.ts';
import { limitOf } from '../../../limits.ts';

const NOW = '2026-02-12T12:00:00.000000Z';
const limits = [limitOf('22:00', '02:00', 45)];

describeEachEngine('The causes of past parts', (engine) => {
  const database = openForAll(() => engine.open());
  let searches = 0;
  const watched = (): Store => ({
    ...database,
    exclusions: 'apply',
    db: {
      ...database.db,
      query(...args: Parameters<typeof database.db.query>) {
        if (args[0].name === 'steady_ends') searches += 1;
        return database.db.query(...args);
      },
    } as Store['db'],
  });
  async function causes(now = NOW) {
    searches = 0;
    const interval = { from: '2026-02-10T22:00:00.000000Z', to: '2026-02-12T02:00:00.000000Z' };
    const parts = limitParts(interval, 'UTC', limits, 'part', 5);
    const facts = {
      limits,
      isCompared: true,
      judgement: { ...JUDGEMENT, weighting: 'A' as const },
      timeZone: 'UTC',
    };
    const found = await consistently(watched(), (store) =>
      causesOf(store, { ...facts, parts, calibrationOffsetDb: 80, now }),
    );
    // the last digits of sums depend on the order of adding
    return JSON.parse(
      JSON.stringify(found, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(9)) : value)),
    ) as typeof found;
  }

  beforeEach(async () => {
    for (const table of ['audio_data', 'audio_data_periods', 'audio_data_exclusions'])
      await database.sql(`truncate ${table}`);
    // a tone from 23:10 to 23:40 in each of two nights
    await database.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select time, (case when (time at time zone 'UTC')::time between '23:10' and '23:39:59' then -30 else -46 end)
        + (extract(second from time)::int % 2) * 0.2, 160
      from generate_series('2026-02-10T22:00Z'::timestamptz,
        '2026-02-12T02:00Z'::timestamptz, '2 s') as time`);
    await refreshRollups(database.sql, 100_000);
  });

  it('are searched once', async () => {
    const first = await causes();
    expect(first.map(({ episodes }) => episodes.map(({ kind }) => kind))).toEqual([
      ['tone', 'background'],
      ['tone', 'background'],
    ]);
    expect(searches).toBe(2);
    expect(await causes()).toEqual(first);
    expect(searches).toBe(0);
  });

  it.each([
    ['a point', `update audio_data set rms_db = -20 where time = '2026-02-11T23:20:00Z'`],
    ['a point of the night before', `update audio_data set rms_db = -20 where time = '2026-02-10T23:20:00Z'`],
    [
      'a period',
      `insert into audio_data_periods (since, interval_ms, weighting) values ('2026-01-01Z', 2000, 'A')`,
    ],
    [
      'an exclusion',
      `insert into audio_data_exclusions (since, until, reason) values ('2026-02-11T23:15Z', '2026-02-11T23:16Z', 'rain')`,
    ],
  ])('are searched again if %s changes, also before it is counted', async (_, change) => {
    const first = await causes();
    await database.sql(change);
    const changed = await causes();
    expect(searches).toBeGreaterThan(0);
    if (!change.includes('periods')) expect(changed).not.toEqual(first);
    await refreshRollups(database.sql, 100_000);
    await causes(); // sees that the buckets are fresh
    await causes();
    expect(await causes()).toEqual(changed);
    expect(searches).toBe(0);
  });

  it('are not kept while the part runs', async () => {
    const now = '2026-02-12T01:00:00.000000Z';
    await causes(now);
    await causes(now);
    expect(searches).toBe(1);
  });
});
