// Answers whose points, rollups, periods or exclusions change while they are read.
import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { noiseEvents } from '../../src/operations/events/list/query.ts';
import { leaveOut } from '../../src/operations/interval-and-cursor.ts';
import { scaleOfAnswer } from '../../src/operations/periods.ts';
import { summary } from '../../src/operations/stats/summary/query.ts';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { Outdated } from '../../src/rollups/rollup-state.ts';
import { consistently, createRollups, type Store } from '../../src/rollups/store.ts';
import { describeEachLayout, openForAll } from '../engines.ts';

const at = (hour: number) => `2026-03-01T${String(hour).padStart(2, '0')}:00:00.000000Z`;
const DAY = { from: at(0), to: at(12) };

describeEachLayout('An answer', (engine) => {
  const test = openForAll(() => engine.open());
  const exclude = (hour: number) =>
    test.sql(
      `insert into audio_data_exclusions (since, until, reason) values ('${at(hour)}', '${at(hour + 1)}', 'rain')`,
    );

  /** A point each 10 s for twelve hours, with rollups. */
  beforeEach(async () => {
    await test.sql(`truncate audio_data; truncate audio_data_periods; delete from audio_data_exclusions;
      insert into audio_data (time, rms_db) select time, -30
      from generate_series('${at(0)}'::timestamptz, '${at(12)}'::timestamptz - interval '1 s', interval '10 s') as time`);
    await refreshRollups(test.sql, 100_000);
  });

  /** A store that has answered once; `change` runs before its next statements with this label. */
  async function changing(label: string | undefined, change: (nth: number) => Promise<unknown>) {
    let isOn = false;
    let nth = 0;
    const query: Database['query'] = async (statement, ...more) => {
      if (isOn && statement.label === label) await change(++nth);
      return test.db.query(statement, ...more);
    };
    const store: Store = { db: { ...test.db, query }, rollups: createRollups(test.db) };
    await summary(store, DAY);
    isOn = true;
    return store;
  }

  it('is read again as a whole if its exclusions change between two statements', async () => {
    const store = await changing('statistics', async (nth) => nth === 2 && (await exclude(3)));
    let reads = 0;
    const found = await leaveOut(store, 'apply', DAY, async (each) => {
      reads += 1;
      return { first: await summary(each, DAY), second: await summary(each, DAY) };
    });
    expect(reads).toBe(2);
    expect(found).toMatchObject({
      first: { point_count: 11 * 360 },
      second: { point_count: 11 * 360 },
      excluded_seconds: 3600,
    });
  });

  it('has the scale of the periods that its statements saw', async () => {
    const period =
      "insert into audio_data_periods (since, weighting, reference_db) values ('2026-01-01Z', 'A', 95)";
    const store = await changing('statistics', async (nth) => nth === 1 && (await test.sql(period)));
    const { scale } = await leaveOut(store, 'apply', DAY, async (each) => {
      const { point_count } = await summary(each, DAY);
      return { point_count, scale: await scaleOfAnswer(each, DAY) };
    });
    expect(scale).toMatchObject({ unit: 'dB(A)', reference_db: 95 });
  });

  it('is that of one moment if the exclusions change during every attempt', async () => {
    const store = await changing('statistics', (nth) => exclude(nth));
    const assumed: (boolean | undefined)[] = [];
    const found = await leaveOut(store, 'apply', DAY, async (each) => {
      assumed.push(each.assumed?.isLast);
      return summary(each, DAY);
    });
    expect(assumed).toEqual([false, false, false, false, true]);
    expect(found).toMatchObject({ point_count: 8 * 360, excluded_seconds: 4 * 3600 });
  });

  it('is that of all the points if they change during every attempt', async () => {
    const store = await changing('statistics', (nth) =>
      test.sql(`delete from audio_data where time >= '${at(nth)}' and time < '${at(nth + 1)}'`),
    );
    expect(await summary(store, DAY)).toMatchObject({ point_count: 7 * 360 });
  });

  it('has no event whose points are deleted meanwhile, and then another one', async () => {
    await test.sql(`insert into audio_data (time, rms_db) select '${at(2)}'::timestamptz + n * interval '1 h', -5
      from generate_series(0, 3) n`);
    const removal = `delete from audio_data where time = '${at(5)}'`;
    let isGone = false;
    const store = await changing(undefined, async () => {});
    const query: Database['query'] = async (statement, ...more) => {
      if (statement.text.includes('dominant_frequency_hz') && !isGone) {
        isGone = true;
        await test.sql(removal);
      }
      return test.db.query(statement, ...more);
    };
    const criteria = {
      threshold: -10,
      above_background: null,
      hysteresis: 0,
      hold_seconds: 1,
      min_duration_seconds: 0,
      spacing_seconds: 10,
    };
    const { events } = await consistently({ ...store, db: { ...test.db, query } }, (each) =>
      noiseEvents(each, { interval: DAY, criteria, now: at(20), limit: 2 }),
    );
    expect(isGone).toBe(true);
    expect(events.map(({ start }) => start)).toEqual([at(4), at(3)]);
  });

  it('fails with other faults at once', async () => {
    let reads = 0;
    const read = consistently(test, async () => {
      reads += 1;
      throw new Error('no');
    });
    await expect(read).rejects.toThrow('no');
    expect(reads).toBe(1);
    const last = consistently(test, async ({ assumed }) => {
      if (!assumed?.isLast) throw new Outdated();
      return 'last';
    });
    expect(await last).toBe('last');
  });
});
