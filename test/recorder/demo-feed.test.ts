import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { timeZoneClock } from '../../src/contract/time-zone-clock.ts';
import { demoFeed } from '../../src/recorder/demo/demo-feed.ts';
import { courtyard, FULL_SCALE_DB, HAIL_MS, INTERVAL_MS } from '../../src/recorder/demo/demo-points.ts';
import { memoryDatabase } from './run.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const STEP_MS = 4 * INTERVAL_MS;

/** The levels of every fourth second from a time on the clocks, without excluded and missing points. */
function levelsOf(zone: string, from: string, hours: number): number[] {
  const clock = timeZoneClock(zone);
  const momentAt = courtyard(clock);
  const first = clock.firstAt(Date.parse(`${from}Z`));
  const end = clock.firstAt(Date.parse(`${from}Z`) + hours * HOUR);
  const levels: number[] = [];
  for (let time = first; time < end; time += STEP_MS) {
    const { point, isFailure, isHailBegin } = momentAt(time);
    if (isHailBegin) time += HAIL_MS - STEP_MS;
    else if (!isFailure) levels.push((point().rms_db ?? -50) + FULL_SCALE_DB);
  }
  return levels;
}

const leq = (levels: readonly number[]) =>
  10 * Math.log10(levels.reduce((sum, db) => sum + 10 ** (db / 10), 0) / levels.length);

/** The dates of two weeks. */
const dates = (first: string) =>
  Array.from({ length: 14 }, (_, i) => new Date(Date.parse(first) + i * DAY).toISOString().slice(0, 10));

describe('The sound of the demo', () => {
  // the clocks change on 29 March and 25 October in Vienna, 8 March and 1 November in St. John's
  it.each([
    ['UTC', '2026-05-04'],
    ['Europe/Vienna', '2026-03-18'],
    ['Europe/Vienna', '2026-10-15'],
    ['Asia/Kathmandu', '2026-05-07'],
    ['America/St_Johns', '2026-03-02'],
    ['America/St_Johns', '2026-10-24'],
  ])(
    'has four nights and two Wednesdays over the limit in two weeks in %s from %s',
    (zone, first) => {
      const nights = dates(first).filter((date) => leq(levelsOf(zone, `${date}T22:00`, 8)) > 45);
      expect(nights.map((date) => new Date(date).getUTCDay()).sort()).toEqual([5, 5, 6, 6]);
      const days = dates(first).filter((date) => leq(levelsOf(zone, `${date}T06:00`, 16)) > 55);
      expect(days.map((date) => new Date(date).getUTCDay())).toEqual([3, 3]);
    },
    60_000,
  );

  // two weeks that begin on a Sunday, whose background is the lowest, and have a long gap on the first Thursday
  it('has 50 to 300 events a day by the default rule of events.list', () => {
    const first = Date.parse('2026-11-15');
    const momentAt = courtyard(timeZoneClock('UTC'));
    const levels = Array.from({ length: 14 * 86_400 }, (_, second) => {
      const { point, isFailure } = momentAt(first + second * 1000);
      return isFailure ? Number.NaN : (point().rms_db ?? -50);
    });
    const l90 = Array.from({ length: 14 * 48 }, (_, halfHour) => {
      const some = levels.slice(halfHour * 1800, (halfHour + 1) * 1800).filter((db) => !Number.isNaN(db));
      return some.sort((a, b) => a - b)[Math.floor(some.length / 10)] ?? Number.NaN;
    });
    /** The lower of L90 of the half hour before, and the median of that of the seven days before. */
    function backgroundOf(halfHour: number): number {
      const before = [1, 2, 3, 4, 5, 6, 7].flatMap((days) => l90[halfHour - 48 * days] ?? []);
      const days = before.filter((db) => !Number.isNaN(db)).sort((a, b) => a - b);
      const [lower, upper] = [days[(days.length - 1) >> 1], days[days.length >> 1]];
      const median = lower === undefined || upper === undefined ? Number.NaN : (lower + upper) / 2;
      const known = [l90[halfHour - 1] ?? Number.NaN, median].filter((db) => !Number.isNaN(db));
      return Math.min(...known);
    }
    const backgrounds = l90.map((_, halfHour) => backgroundOf(halfHour));
    const events = Array<number>(14).fill(0);
    let [loud, last] = [Number.NaN, Number.NEGATIVE_INFINITY];
    for (const [second, db] of levels.entries()) {
      const above = db - (backgrounds[Math.floor(second / 1800)] ?? 0);
      if (!(above > 7)) continue;
      if (second - last > 10) {
        if (last + 1 - loud >= 5)
          events[Math.floor(loud / 86_400)] = (events[Math.floor(loud / 86_400)] ?? 0) + 1;
        loud = Number.NaN;
      }
      if (Number.isNaN(loud) && above > 10) loud = second;
      last = second;
    }
    expect(Math.min(...events)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...events)).toBeLessThanOrEqual(300);
  }, 60_000);

  it('is the same each time, by what the clocks show', () => {
    const [utc, kathmandu] = ['UTC', 'Asia/Kathmandu'].map((zone) => levelsOf(zone, '2026-05-05T11:00', 2));
    expect(utc).toHaveLength(1800);
    expect(utc).toEqual(kathmandu);
    expect(levelsOf('UTC', '2026-05-05T11:00', 2)).toEqual(utc);
  });

  it('repeats the tone of a stuck cooling unit', () => {
    const momentAt = courtyard(timeZoneClock('UTC'));
    for (const time of ['2026-05-04T01:30:00Z', '2026-05-07T03:30:00Z', '2026-05-09T02:45:00Z'])
      for (let second = 0; second < 60; second += 1)
        expect(momentAt(Date.parse(time) + second * 1000).point().frequency_hz).toBe(160);
  });
});

describe('The live recorder of the demo', () => {
  it('continues from its start without a gap, even after a failing write, and can be stopped', async () => {
    const lines: string[] = [];
    let stores = 0;
    const db = memoryDatabase(() => {
      stores += 1;
      if (stores === 1) throw new Error('disk full');
    });
    const begin = Date.now();
    let ahead = 0; // the clock leaps, so that each write covers ten seconds
    const recorder = demoFeed(db, timeZoneClock('UTC'), async () => {}).startLive(
      instantOf(begin),
      () => {
        ahead += 10_000;
        return instantOf(Date.now() + ahead);
      },
      (line) => lines.push(line),
      () => {},
    );
    await expect.poll(() => db.rows.length).toBeGreaterThan(30);
    await recorder.stop();
    const end = Date.now() + ahead;
    expect(lines).toEqual([
      'Warning: the demo could not store points: disk full. It tries again; restart it if this repeats',
    ]);
    const times = db.rows.map((row) => Date.parse(row.slice(0, 27)));
    expect(times[0]).toBe(Math.floor(begin / INTERVAL_MS) * INTERVAL_MS); // it made up for the failed write
    expect(times.at(-1)).toBeLessThanOrEqual(end - INTERVAL_MS);
    for (const [i, time] of times.slice(1).entries()) expect(time - (times[i] ?? 0)).toBe(INTERVAL_MS);
  });
});
