// Feeds the demo: fills the past 33 hours, then stores new points in real time at the same rate.
import { createTicker, messageOf, percent } from '../../commands/progress.ts';
import { stepsOf } from '../../commands/steps.ts';
import { instantOf } from '../../contract/instant.ts';
import { UNKNOWN } from '../../contract/periods.ts';
import { csvRow } from '../../contract/point.ts';
import { compile, instantText, parameter } from '../../database/compile.ts';
import type { Database } from '../../database/database.ts';
import { sql } from '../../database/drizzle.ts';
import { putPeriod } from '../../database/periods.ts';
import { tables } from '../../database/schema.ts';
import { type Loop, startLoop } from '../../loop.ts';
import { INTERVAL_MS, pointAt } from './demo-points.ts';

/** How far back the demo has points: a day, and the night of up to nine hours that ended a day ago. */
export const PAST_MS = 33 * 3_600_000;
const STORE_EVERY_MS = 500;
/** The longest pause to make up. After a longer one (a sleeping laptop), only the next start fills the gap. */
const LONGEST_PAUSE_MS = 600_000;

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

/**
 * Stores the missing points of the past 33 hours, all or none. Earlier points stay as they are. All points of the demo
 * are A-weighted, so that they compare with its limits.
 *
 * @param start canonical; {@link startLiveRecorder} continues from there
 * @returns how many points were stored
 */
export async function fillPast(
  db: Database,
  start: string,
  say: (line: string) => void = () => {},
  pastMs = PAST_MS,
): Promise<number> {
  await putPeriod(db, {
    ...UNKNOWN,
    since: instantOf(0),
    weighting: 'A',
    interval_ms: INTERVAL_MS,
    statistic: 'leq',
  });
  const end = slotOf(start);
  const missing = await db.query(gaps, {
    after: instantOf(end - pastMs - INTERVAL_MS),
    before: instantOf(end),
    interval: `${INTERVAL_MS} ms`,
  });
  if (missing.length === 0) return 0;
  return await db.transaction(async ({ copy }) => {
    let stored = 0;
    for await (const step of stepsOf(rowsIn(missing, say))) stored += await copy(step.rows());
    return stored;
  });
}

async function* rowsIn(missing: readonly Gap[], say: (line: string) => void): AsyncGenerator<string> {
  const all = missing.reduce((sum, gap) => sum + slotsIn(gap), 0);
  say(
    `Filling in the past 33 hours: ${all.toLocaleString('en')} points are missing after ${missing[0]?.after}`,
  );
  const tick = createTicker(say);
  let done = 0;
  for (const { after, before } of missing)
    for (let next = slotOf(after) + INTERVAL_MS; next < Date.parse(before); next += INTERVAL_MS) {
      yield `${csvRow(pointAt(next))}\n`;
      done += 1;
      tick(() => `Filling in: ${percent(done, all)}`);
    }
}

/** Makes points in real time, and stores them twice a second. A write that fails is logged; the recorder continues. */
export function startLiveRecorder(
  db: Database,
  start: string,
  now: () => string,
  log: (line: string) => void,
): Loop {
  let next = slotOf(start);

  async function store(): Promise<number> {
    const end = slotOf(now());
    if (end - next > LONGEST_PAUSE_MS) next = end;
    const rows: string[] = [];
    for (; next < end; next += INTERVAL_MS) rows.push(`${csvRow(pointAt(next))}\n`);
    if (rows.length > 0) await db.transaction(({ copy }) => copy(rows.join('')));
    return STORE_EVERY_MS;
  }

  return startLoop(store, (error) => {
    log(
      `Warning: the demo could not store its newest points: ${messageOf(error)}. It tries again; restart it if this repeats`,
    );
    return STORE_EVERY_MS;
  });
}

/** The start of the interval that contains a time, in milliseconds since 1970. */
function slotOf(instant: string): number {
  return Math.floor(Date.parse(instant) / INTERVAL_MS) * INTERVAL_MS;
}

/** How many intervals begin between two points. */
function slotsIn({ after, before }: Gap): number {
  return Math.ceil((Date.parse(before) - Date.parse(after)) / INTERVAL_MS) - 1;
}
