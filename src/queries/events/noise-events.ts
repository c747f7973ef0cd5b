// Noise events, newest first, page by page.
import { sql } from 'drizzle-orm';
import { FIRST_MICROS, instantOfMicros, LAST_MICROS, microsOf } from '../../contract/instant.ts';
import type { NoiseEvent } from '../../contract/noise-events.ts';
import { FLOOR_DB } from '../../contract/point.ts';
import { compile, parameter } from '../../db/compile.ts';
import { audioData } from '../../db/schema.ts';
import type { Store } from '../../timescale/rollups-in-use.ts';
import { HALF_HOUR, halfHourOf, halfHoursAt } from '../statistics/backgrounds.ts';
import { type Ended, endsOf, figuresOfEvents } from './event-figures.ts';
import { type Criteria, microsIn, readIslands, thresholdOf } from './islands.ts';
import { REACH, type Reach, type Run, runsBack } from './runs.ts';

/** A question for a page. Null bounds mean none. */
export interface NoiseQuestion {
  readonly interval: { readonly from: string | null; readonly to: string | null };
  readonly criteria: Criteria;
  readonly limit: number;
  /** The clock of the request. */
  readonly now: string;
  /** Where the page before ended. */
  readonly before?: string | undefined;
}

export interface NoisePage {
  readonly events: NoiseEvent[];
  /** The page ends there: the first point above threshold - hysteresis of its last event; null where it is the last. */
  readonly next: string | null;
}

/** An attempt fails where the points of an event go between two statements. */
const ATTEMPTS = 3;

/** How many ends are looked for at once: each is a search of its own. */
const MOST_AT_ONCE = 1000;

/** A peak so many dB above all that was left out makes an exposure level complete. */
const COMPLETE_DB = 10;

/**
 * At most `limit` events, newest first. What an event is, is in src/contract/noise-events.ts.
 *
 * @throws TooManyPoints
 */
export async function noiseEvents(
  store: Store,
  question: NoiseQuestion,
  reach: Reach = REACH,
): Promise<NoisePage> {
  for (let attempt = 1; ; attempt++) {
    const { runs, isWhole } = await findRuns(store, question, reach);
    const events = await describe(store, question, runs);
    if (events.length < runs.length && attempt < ATTEMPTS) continue;
    const oldest = runs.at(-1);
    return { events, next: isWhole || !oldest ? null : instantOfMicros(oldest.first) };
  }
}

/** @returns the runs of a page, and whether these are all */
async function findRuns(
  store: Store,
  { interval, criteria, limit, now, before }: NoiseQuestion,
  reach: Reach,
): Promise<{ runs: Ended[]; isWhole: boolean }> {
  const end = before ?? interval.to;
  const range = {
    from: interval.from === null ? FIRST_MICROS : microsOf(interval.from),
    to: end === null ? LAST_MICROS + 1n : microsOf(end),
  };
  const found: Run[] = [];
  for await (const runs of runsBack(store, range, criteria, now, reach)) {
    while (runs.length > 0 && found.length <= limit)
      found.push(...(await longEnough(store, runs.splice(0, MOST_AT_ONCE), criteria)));
    if (found.length > limit)
      return { runs: await endsOf(store, found.slice(0, limit), criteria), isWhole: false };
  }
  return { runs: await endsOf(store, found, criteria), isWhole: true };
}

/** @returns the runs whose events are at least as long as asked for; looks for the ends of those that may be */
async function longEnough(store: Store, runs: readonly Run[], criteria: Criteria): Promise<Run[]> {
  const shortest = microsIn(criteria.min_duration_seconds);
  const isSure = ({ loud, last }: Run) => last - loud >= shortest;
  const ended = await endsOf(
    store,
    runs.filter((run) => !isSure(run)),
    criteria,
  );
  const short = new Set(ended.filter(({ loud, end }) => end - loud < shortest).map(({ loud }) => loud));
  return runs.filter(({ loud }) => !short.has(loud));
}

/** @returns the events of runs, without those whose points are there no more */
async function describe(
  store: Store,
  question: NoiseQuestion,
  runs: readonly Ended[],
): Promise<NoiseEvent[]> {
  const { criteria } = question;
  const figures = await figuresOfEvents(store, runs);
  const halfHours = await halfHoursAt(
    store,
    runs.map(({ loud }) => halfHourOf(loud) - HALF_HOUR),
  );
  const events: NoiseEvent[] = [];
  for (const [place, run] of runs.entries()) {
    const measured = figures[place];
    const start = halfHourOf(run.loud);
    const background_db = halfHours.get(start - HALF_HOUR)?.l90_db ?? null;
    const threshold = thresholdOf(start, halfHours, criteria);
    if (!measured || threshold === null) continue;
    const duration_seconds = Number(run.end - run.loud) / 1e6;
    const { point_count, leq_db, peak_db, peak_at, dominant_frequency_hz } = measured;
    events.push({
      start: instantOfMicros(run.loud),
      end: instantOfMicros(run.end),
      duration_seconds,
      peak_db,
      peak_at,
      leq_db,
      sel_db: duration_seconds > 0 ? leq_db + 10 * Math.log10(duration_seconds) : null,
      point_count,
      dominant_frequency_hz,
      threshold,
      background_db,
      background_at_floor: background_db === FLOOR_DB,
      // to a millionth: -0.1 - -10.1 is a little less than 10
      sel_complete: Math.round((peak_db - threshold + criteria.hysteresis) * 1e6) >= COMPLETE_DB * 1e6,
      ...(await edgesOf(store, question, run, place === 0)),
    });
  }
  return events;
}

const later = compile(
  sql`select exists (select from ${audioData} where ${audioData.time} > ${parameter('time')}) as found`,
  'later_points',
);

/**
 * How a run meets the ends of the interval, and now. Asks the database for the first and the last run at most: after an
 * older one there is a later point.
 */
async function edgesOf(
  store: Store,
  { interval: { from, to }, criteria, now }: NoiseQuestion,
  { first, last, isFollowed }: Ended,
  isNewest: boolean,
): Promise<Pick<NoiseEvent, 'truncated_start' | 'truncated_end' | 'open'>> {
  const hold = microsIn(criteria.hold_seconds);
  const isAbove = async (range: { from: bigint; to: bigint }) =>
    range.from < range.to && (await readIslands(store, range, criteria, 1)).islands.length > 0;
  const since = first - hold > FIRST_MICROS ? first - hold : FIRST_MICROS;
  const truncated_start = from !== null && (await isAbove({ from: since, to: microsOf(from) }));
  const truncated_end = to !== null && (await isAbove({ from: microsOf(to), to: last + hold + 1n }));
  const mayGoOn = isNewest && !isFollowed && microsOf(now) - last <= hold;
  const [row] = mayGoOn
    ? await store.db.query<{ found: boolean }>(later, { time: instantOfMicros(last) })
    : [];
  return { truncated_start, truncated_end, open: row?.found === false };
}
