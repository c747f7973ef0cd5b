import { beforeEach, expect, it } from 'vitest';
import { microsOf } from '../../../src/contract/instant.ts';
import { rangeOf } from '../../../src/contract/ranges.ts';
import { ALL_LIMITS } from '../../../src/operations/events/all-runs.ts';
import { countEvents } from '../../../src/operations/events/count-events.ts';
import type { EventCount } from '../../../src/operations/events/list/contract.ts';
import { noiseEvents } from '../../../src/operations/events/list/query.ts';
import { refreshRollups } from '../../../src/rollups/refresh-rollups.ts';
import type { Store } from '../../../src/rollups/store.ts';
import { consistently } from '../../../src/rollups/store.ts';
import { describeEachEngine, openForAll } from '../../engines.ts';

const RULE = { hysteresis: 3, hold_seconds: 30, min_duration_seconds: 20 };
const AT_LEVEL = { threshold: -20, above_background: null, ...RULE };
const ABOVE = { threshold: null, above_background: 15, ...RULE };
const NOW = '2026-02-20T00:00:00.000000Z';

describeEachEngine('The events of stretches', (engine) => {
  const database = openForAll(() => engine.open());
  const at = (day: number, hour = 0) =>
    `2026-02-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00.000000Z`;
  const interval = { from: at(10), to: at(13) };
  /** Nights and days. */
  const stretches = [10, 11, 12].flatMap((day) =>
    [
      { from: at(day), to: at(day, 6) },
      { from: at(day, 6), to: at(day + 1) },
    ].map(rangeOf),
  );

  let statements: string[] = [];
  /** How often the last count searched the points. */
  let searches = 0;
  const watched = (): Store => ({
    ...database,
    exclusions: 'apply',
    db: {
      ...database.db,
      query(...args: Parameters<typeof database.db.query>) {
        statements.push(args[0].name ?? '');
        return database.db.query(...args);
      },
    } as Store['db'],
  });

  async function counts(counted: typeof AT_LEVEL | typeof ABOVE, among = interval) {
    statements = [];
    const inside = stretches.filter(
      ({ from, to }) => from >= microsOf(among.from) && to <= microsOf(among.to),
    );
    const found = await consistently(watched(), (store) =>
      countEvents(store, { interval: among, counted, now: NOW }, inside),
    );
    searches = statements.filter((name) => name.startsWith('runs_')).length;
    const { events } = await consistently(watched(), (store) => {
      const criteria = { ...counted, spacing_seconds: 20 };
      return noiseEvents(store, { interval: among, criteria, limit: 10_000, now: NOW });
    });
    const expected = inside.map(
      ({ from, to }) => events.filter(({ start }) => microsOf(start) >= from && microsOf(start) < to).length,
    );
    expect(found).toEqual(expected.map((event_count) => ({ event_count, event_count_reason: null })));
    return expected;
  }
  const loud = (from: string, seconds: number, level = -5) =>
    database.sql(
      `update audio_data set rms_db = ${level} where time >= '${from}' and time < '${from}'::timestamptz + interval '${seconds} s'`,
    );
  beforeEach(async () => {
    await database.sql('truncate audio_data; truncate audio_data_periods; truncate audio_data_exclusions');
    await database.sql(`insert into audio_data (time, rms_db)
      select time, -45 + extract(epoch from time)::int % 7 from (
        select generate_series('${at(2)}'::timestamptz, '${at(9, 23)}', interval '200 s') as time
        union all select generate_series('${at(9, 23)}'::timestamptz, '${at(13, 2)}', interval '20 s')) as times`);
    await database.sql(`insert into audio_data_periods (since, interval_ms) values ('2026-01-01Z', 20000)`);
    for (const day of [10, 11, 12]) for (const hour of [1, 7, 13, 20]) await loud(at(day, hour), 60);
    // events that cross bounds: one starts before its stretch, one is softer than the threshold at first
    await loud('2026-02-11T05:59:30Z', 60);
    await loud('2026-02-12T05:50:00Z', 540, -22);
    await loud('2026-02-12T05:59:00Z', 120, -22);
    await loud('2026-02-12T06:00:30Z', 30);
    await refreshRollups(database.sql, 100_000);
  });

  it('are those of events.list, and the second count of the past searches no points', async () => {
    for (const counted of [AT_LEVEL, ABOVE]) {
      const first = await counts(counted);
      expect(searches, JSON.stringify(counted)).toBeGreaterThan(0);
      expect(await counts(counted)).toEqual(first);
      // the last ends at the end of the interval, where an event may be cut
      expect(searches, JSON.stringify(counted)).toBe(0);
      // the first stretch now begins at the start of an interval
      const later = { from: at(11), to: at(13) };
      await counts(counted, later);
      await counts(counted, { from: at(11, 6), to: at(12, 6) });
    }
  });

  it('change with points, periods and exclusions', async () => {
    for (const counted of [AT_LEVEL, ABOVE]) {
      const before = await counts(counted);
      await loud(`2026-02-11T1${counted === ABOVE ? 6 : 7}:00:00Z`, 60);
      const after = before.map((count, index) => count + Number(index === 3));
      expect(await counts(counted)).toEqual(after);
      await refreshRollups(database.sql, 100_000);
      await counts(counted); // sees that the buckets are fresh
      expect(await counts(counted)).toEqual(after);
      expect(await counts(counted)).toEqual(after);
      expect(searches).toBe(0);
    }
    const [night] = await counts(ABOVE);
    await database.sql(`insert into audio_data_exclusions (since, until, reason)
      values ('${at(10)}', '${at(10, 2)}', 'rain')`);
    expect((await counts(ABOVE))[0]).toBe((night ?? 0) - 1);
    await database.sql('delete from audio_data_exclusions');
    expect((await counts(ABOVE))[0]).toBe(night);
    // a week before, the same half hour was louder than the events
    await database.sql(`update audio_data set rms_db = -12 where time >= '${at(3)}' and time < '${at(10)}'`);
    await database.sql(
      `update audio_data set rms_db = -12 where time >= '${at(10, 0)}' and time < '${at(10, 1)}'`,
    );
    await counts(ABOVE);
    await refreshRollups(database.sql, 100_000);
    await counts(ABOVE);
    await database.sql(`update audio_data_periods set interval_ms = 20001`);
    await counts(ABOVE);
  });

  it('are unknown for the oldest stretches if they have too many points', async () => {
    const count = (mostPoints: number) => {
      const query = { interval, counted: AT_LEVEL, now: NOW };
      const limits = { ...ALL_LIMITS, mostPoints, firstPoints: 10 };
      return consistently(watched(), (store) => countEvents(store, query, stretches, limits));
    };
    const known = (found: readonly EventCount[]) =>
      found.findIndex(({ event_count }) => event_count !== null);
    const first = await count(45);
    expect(known(first)).toBeGreaterThan(0);
    const second = await count(45); // remembers the newest, and so counts older ones
    expect(known(second)).toBeLessThan(known(first));
    const all = await count(ALL_LIMITS.mostPoints);
    expect(all.map(({ event_count_reason }) => event_count_reason)).toEqual(Array(6).fill(null));
    const tooMany = { event_count: null, event_count_reason: 'too_many_points' };
    for (const found of [first, second])
      expect(found).toEqual(all.map((each, index) => (index < known(found) ? tooMany : each)));
  });
});
