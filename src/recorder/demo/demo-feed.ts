// Feeds the demo: fills the last day, then stores new points in real time while it fills two weeks, newest hour first.
import { messageOf } from '../../commands/progress.ts';
import { instantOf } from '../../contract/instant.ts';
import { UNKNOWN } from '../../contract/periods.ts';
import { csvRow } from '../../contract/point.ts';
import { DEFAULT_STATION } from '../../contract/station.ts';
import type { TimeZoneClock } from '../../contract/time-zone-clock.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { compile, instantText, parameter, sql } from '../../database/drizzle.ts';
import { addExclusion } from '../../database/exclusions.ts';
import { putPeriod } from '../../database/periods.ts';
import { tables } from '../../database/schema.ts';
import { type Loop, startLoop } from '../../loop.ts';
import { courtyard, HAIL_MS, INTERVAL_MS } from './demo-points.ts';

/** How far back there are points before the service is ready: a day, and the night of up to nine hours before it. */
export const PAST_MS = 33 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
const PAST_DAYS = 14;
/** The past is filled hour by hour, with pauses of the same length: an embedded database has only one session. */
const HOUR_MS = 3_600_000;
const STORE_EVERY_MS = 500;
/** The longest pause to make up. After a longer one (a sleeping laptop), only the next start fills the gap. */
const LONGEST_PAUSE_MS = 600_000;
const POINTS_A_COPY = 3600;

type Stretch = readonly [from: number, to: number];
type Say = (line: string) => void;

/** The times of the two points around each gap. */
const gaps = compile(sql<{ after: string; before: string }>`
  select ${instantText(sql`after`)} as after, ${instantText(sql`before`)} as before from (
    select time as after, lead(time) over (order by time) as before from (
      select time from ${tables.points} where time > ${parameter('after')} and time < ${parameter('before')}
      union all values (${parameter('after')}::timestamptz), (${parameter('before')}::timestamptz)
    ) as points) as neighbours
  where before - after > ${parameter('interval')}::interval order by neighbours.after`);

type Refresh = (signal: AbortSignal, onStep: () => Promise<void>) => Promise<void>;

/**
 * All points of the demo are A-weighted, so that they compare with its limits.
 *
 * @param refresh refreshes the rollups in steps
 */
export function demoFeed(db: Database, clock: TimeZoneClock, refresh: Refresh) {
  const momentAt = courtyard(clock);

  async function store(transaction: Transaction, times: readonly number[]): Promise<void> {
    await transaction.copy(times.map((time) => `${csvRow(momentAt(time).point())}\n`).join(''));
    for (const time of times.filter((each) => momentAt(each).isHailBegin)) {
      const [from, to] = [instantOf(time), instantOf(time + HAIL_MS)];
      await addExclusion(transaction, DEFAULT_STATION, { from, to, reason: 'hail', by: null });
    }
  }

  /** Stores the missing points of a stretch, all or none, without those of failures before today. @returns how many */
  async function fill([from, to]: Stretch, today: number, say?: Say): Promise<number> {
    const [after, before] = [instantOf(from - INTERVAL_MS), instantOf(to)];
    const found = await db.query(gaps, { after, before, interval: `${INTERVAL_MS} ms` });
    const times = found
      .flatMap((gap) => slots(slotOf(gap.after) + INTERVAL_MS, Date.parse(gap.before)))
      .filter((time) => time >= today || !momentAt(time).isFailure);
    const [first] = times;
    if (first === undefined) return 0;
    say?.(`Filling in ${times.length.toLocaleString('en')} missing points from ${instantOf(first)}`);
    await db.transaction(async (transaction) => {
      for (let i = 0; i < times.length; i += POINTS_A_COPY)
        await store(transaction, times.slice(i, i + POINTS_A_COPY));
    });
    return times.length;
  }

  return {
    /** Stores the missing points of the last 33 hours. @returns how many */
    async fillLastDay(start: string, say: Say, pastMs = PAST_MS): Promise<number> {
      const levels = { weighting: 'A', statistic: 'leq', interval_ms: INTERVAL_MS } as const;
      await putPeriod(db, { ...UNKNOWN, since: instantOf(0), ...levels });
      return fill([slotOf(start) - pastMs, slotOf(start)], midnight(clock, start, 0), say);
    },

    /** Stores a point a second, and fills the days before the last one. A write that fails is logged and repeated. */
    startLive(start: string, now: () => string, log: Say, say: Say): Loop {
      let next = slotOf(start);
      const earlier = pastHours(clock, start);

      async function storeNew(): Promise<void> {
        const end = slotOf(now());
        if (end - next > LONGEST_PAUSE_MS) next = end;
        const times = slots(next, end);
        if (times.length > 0) await db.transaction((transaction) => store(transaction, times));
        next = Math.max(next, end); // the clock may have gone back
      }

      async function work(signal: AbortSignal): Promise<number> {
        await storeNew();
        const [hour] = earlier;
        if (!hour) return STORE_EVERY_MS;
        const began = performance.now();
        await fill(hour, midnight(clock, start, 0));
        const tookMs = performance.now() - began;
        earlier.shift();
        const isLast = earlier.length === 0;
        if (hour[0] % DAY_MS === 0 || isLast) await refresh(signal, storeNew); // each day is counted once
        if (isLast) say('The past two weeks are complete');
        return tookMs;
      }

      return startLoop(work, (error) => {
        log(
          `Warning: the demo could not store points: ${messageOf(error)}. It tries again; restart it if this repeats`,
        );
        return STORE_EVERY_MS;
      });
    },
  };
}

/** The midnight that began a day, so many days before the one of `start`. */
const midnight = (clock: TimeZoneClock, start: string, daysBack: number) =>
  clock.firstAt((Math.floor(clock.shows(Date.parse(start)) / DAY_MS) - daysBack) * DAY_MS);

/** The hours before the last 33, newest first, back to the midnight that began the day two weeks ago. */
export function pastHours(clock: TimeZoneClock, start: string): Stretch[] {
  const first = midnight(clock, start, PAST_DAYS);
  const hours: Stretch[] = [];
  for (let to = slotOf(start) - PAST_MS; to > first; ) {
    const from = Math.max(first, Math.floor((to - 1) / HOUR_MS) * HOUR_MS);
    hours.push([from, to]);
    to = from;
  }
  return hours;
}

const slots = (from: number, to: number) =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / INTERVAL_MS)) }, (_, i) => from + i * INTERVAL_MS);

/** The start of the interval that contains a time, in milliseconds since 1970. */
function slotOf(instant: string): number {
  return Math.floor(Date.parse(instant) / INTERVAL_MS) * INTERVAL_MS;
}
