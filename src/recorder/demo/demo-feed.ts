// Feeds the demo: fills the last day, then stores new points in real time while it fills two weeks, newest day first.
import { messageOf } from '../../commands/progress.ts';
import { instantOf } from '../../contract/instant.ts';
import { UNKNOWN } from '../../contract/periods.ts';
import { csvRow } from '../../contract/point.ts';
import { DEFAULT_STATION } from '../../contract/station.ts';
import type { TimeZoneClock } from '../../contract/time-zone-clock.ts';
import { compile, instantText, parameter } from '../../database/compile.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { sql } from '../../database/drizzle.ts';
import { addExclusion } from '../../database/exclusions.ts';
import { putPeriod } from '../../database/periods.ts';
import { tables } from '../../database/schema.ts';
import { type Loop, startLoop } from '../../loop.ts';
import { courtyard, HAIL_MS, INTERVAL_MS } from './demo-points.ts';

/** How far back there are points before the service is ready: a day, and the night of up to nine hours before it. */
export const PAST_MS = 33 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
const PAST_DAYS = 14;
const STORE_EVERY_MS = 500;
/** The longest pause to make up. After a longer one (a sleeping laptop), only the next start fills the gap. */
const LONGEST_PAUSE_MS = 600_000;
const POINTS_A_COPY = 3600;

type Stretch = readonly [from: number, to: number];

/** The times of the two points around a gap. */
interface Gap {
  readonly after: string;
  readonly before: string;
}

const neighbours = sql`
  select time as after, lead(time) over (order by time) as before from (
    select time from ${tables.points} where time > ${parameter('after')} and time < ${parameter('before')}
    union all values (${parameter('after')}::timestamptz), (${parameter('before')}::timestamptz)
  ) as points`;
const gaps = compile(sql<Gap>`
  select ${instantText(sql`after`)} as after, ${instantText(sql`before`)} as before
  from (${neighbours}) as neighbours
  where before - after > ${parameter('interval')}::interval
  order by neighbours.after`);

/** All points of the demo are A-weighted, so that they compare with its limits. */
export function demoFeed(db: Database, clock: TimeZoneClock) {
  const momentAt = courtyard(clock);

  async function store({ copy, ...transaction }: Transaction, times: readonly number[]): Promise<void> {
    const moments = times.map(momentAt);
    await copy(moments.map(({ point }) => `${csvRow(point)}\n`).join(''));
    for (const { point, isHailBegin } of moments) {
      const to = instantOf(Date.parse(point.time) + HAIL_MS);
      const hail = { from: point.time, to, reason: 'hail', by: null };
      if (isHailBegin) await addExclusion({ copy, ...transaction }, DEFAULT_STATION, hail);
    }
  }

  /** The missing times of a stretch, oldest first. On days before today, the recorder failed now and then. */
  async function missingIn([from, to]: Stretch, today: number): Promise<number[]> {
    const found = await db.query(gaps, {
      after: instantOf(from - INTERVAL_MS),
      before: instantOf(to),
      interval: `${INTERVAL_MS} ms`,
    });
    const times: number[] = [];
    for (const { after, before } of found)
      for (let time = slotOf(after) + INTERVAL_MS; time < Date.parse(before); time += INTERVAL_MS)
        if (time >= today || !momentAt(time).isFailure) times.push(time);
    return times;
  }

  /** Stores the missing points of a stretch, all or none. @returns how many */
  async function fill(stretch: Stretch, today: number, say: (line: string) => void): Promise<number> {
    const times = await missingIn(stretch, today);
    if (times.length === 0) return 0;
    const count = times.length.toLocaleString('en');
    say(`Filling in ${count} missing points from ${instantOf(times[0] ?? 0)}`);
    await db.transaction(async (transaction) => {
      for (let i = 0; i < times.length; i += POINTS_A_COPY)
        await store(transaction, times.slice(i, i + POINTS_A_COPY));
    });
    return times.length;
  }

  return {
    /** Stores the missing points of the last 33 hours. @returns how many */
    async fillLastDay(start: string, say: (line: string) => void, pastMs = PAST_MS): Promise<number> {
      const [since, levels] = [instantOf(0), { weighting: 'A', statistic: 'leq' } as const];
      await putPeriod(db, { ...UNKNOWN, since, ...levels, interval_ms: INTERVAL_MS });
      return fill([slotOf(start) - pastMs, slotOf(start)], todayOf(clock, start), say);
    },

    /** Stores a point a second, and fills the days before the last one. A write that fails is logged and repeated. */
    startLive(
      start: string,
      now: () => string,
      log: (line: string) => void,
      say: (line: string) => void,
    ): Loop {
      let next = slotOf(start);
      const earlier = daysBefore(clock, start);

      async function work(): Promise<number> {
        const end = slotOf(now());
        if (end - next > LONGEST_PAUSE_MS) next = end;
        const times: number[] = [];
        for (let time = next; time < end; time += INTERVAL_MS) times.push(time);
        if (times.length > 0) await db.transaction((transaction) => store(transaction, times));
        next = end;
        const [day] = earlier;
        if (!day) return STORE_EVERY_MS;
        await fill(day, todayOf(clock, start), say);
        earlier.shift();
        if (earlier.length === 0) say('The past two weeks are complete');
        return 0;
      }

      return startLoop(work, (error) => {
        log(
          `Warning: the demo could not store its newest points: ${messageOf(error)}. It tries again; restart it if this repeats`,
        );
        return STORE_EVERY_MS;
      });
    },
  };
}

function todayOf(clock: TimeZoneClock, start: string): number {
  return clock.firstAt(Math.floor(clock.shows(Date.parse(start)) / DAY_MS) * DAY_MS);
}

/** The days before the last 33 hours, newest first, back to the midnight that began the day two weeks ago. */
export function daysBefore(clock: TimeZoneClock, start: string): Stretch[] {
  const midnight = Math.floor(clock.shows(Date.parse(start)) / DAY_MS) * DAY_MS;
  const first = clock.firstAt(midnight - PAST_DAYS * DAY_MS);
  const days: Stretch[] = [];
  for (let to = slotOf(start) - PAST_MS; to > first; to -= DAY_MS)
    days.push([Math.max(first, to - DAY_MS), to]);
  return days;
}

/** The start of the interval that contains a time, in milliseconds since 1970. */
function slotOf(instant: string): number {
  return Math.floor(Date.parse(instant) / INTERVAL_MS) * INTERVAL_MS;
}
