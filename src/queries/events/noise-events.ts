// Noise events, newest first, page by page.
import { FIRST_MICROS, instantOfMicros, LAST_MICROS, microsOf, type Range } from '../../contract/instant.ts';
import type { NoiseEvent } from '../../contract/noise-events.ts';
import { FLOOR_DB } from '../../contract/point.ts';
import { compile, parameter } from '../../db/compile.ts';
import { sql } from '../../db/drizzle.ts';
import { audioData } from '../../db/schema.ts';
import type { Store } from '../../store/store.ts';
import { HALF_HOUR, halfHourOf, halfHoursAt } from '../statistics/backgrounds.ts';
import { type Criteria, holdsOf, microsIn, thresholdOf } from './event-criteria.ts';
import { type EndedRun, endsOf, figuresOfEvents } from './event-figures.ts';
import { type Run, readRuns } from './runs-above-level.ts';
import { type EventRun, SEARCH_LIMITS, type SearchLimits, searchRunsBack } from './search-runs-back.ts';

/** A request for a page of events. A null end of the interval means no end. */
export interface NoiseEventsQuery {
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
  /** Where the next page begins: the first point of the oldest run of this one; null if there is no next page. */
  readonly next: string | null;
}

/** An attempt fails if the points of an event are deleted between two statements. */
const ATTEMPTS = 3;

/** How many ends one statement searches for: each is a search of its own. */
const MOST_AT_ONCE = 1000;

/** An exposure level is complete if the peak is so many dB above all that was left out. */
const COMPLETE_DB = 10;

/**
 * At most `limit` events, newest first. The contract (noise-events.ts) defines an event.
 *
 * @throws TooManyPoints
 */
export async function noiseEvents(
  store: Store,
  query: NoiseEventsQuery,
  limits: SearchLimits = SEARCH_LIMITS,
): Promise<NoisePage> {
  for (let attempt = 1; ; attempt++) {
    const { runs, isWhole } = await findRuns(store, query, limits);
    const events = await describe(store, query, runs);
    if (events.length < runs.length && attempt < ATTEMPTS) continue;
    const oldest = runs.at(-1);
    return { events, next: isWhole || !oldest ? null : instantOfMicros(oldest.first) };
  }
}

/** @returns the runs of a page, and whether there are no more */
async function findRuns(
  store: Store,
  { interval, criteria, limit, now, before }: NoiseEventsQuery,
  limits: SearchLimits,
): Promise<{ runs: EndedRun[]; isWhole: boolean }> {
  const end = before ?? interval.to;
  const range = {
    from: interval.from === null ? FIRST_MICROS : microsOf(interval.from),
    to: end === null ? LAST_MICROS + 1n : microsOf(end),
  };
  const found: EventRun[] = [];
  for await (const runs of searchRunsBack(store, range, criteria, now, limits)) {
    while (runs.length > 0 && found.length <= limit)
      found.push(...(await longEnough(store, runs.splice(0, MOST_AT_ONCE), criteria)));
    if (found.length > limit) return { runs: await endsOf(store, found.slice(0, limit)), isWhole: false };
  }
  return { runs: await endsOf(store, found), isWhole: true };
}

/** @returns the runs whose events last at least `min_duration_seconds`; searches for ends only where that is unsure */
async function longEnough(store: Store, runs: readonly EventRun[], criteria: Criteria): Promise<EventRun[]> {
  const shortest = microsIn(criteria.min_duration_seconds);
  const isSure = ({ loud, last }: EventRun) => last - loud >= shortest;
  const unsure = runs.filter((run) => !isSure(run));
  const ended = await endsOf(store, unsure);
  const short = new Set(ended.filter(({ loud, end }) => end - loud < shortest).map(({ loud }) => loud));
  return runs.filter(({ loud }) => !short.has(loud));
}

/** @returns the events of runs, without those whose points were deleted meanwhile */
async function describe(
  store: Store,
  query: NoiseEventsQuery,
  runs: readonly EndedRun[],
): Promise<NoiseEvent[]> {
  const { criteria } = query;
  const figures = await figuresOfEvents(store, runs);
  const before = runs.map(({ loud }) => halfHourOf(loud) - HALF_HOUR);
  const halfHours = await halfHoursAt(store, before);
  const events: NoiseEvent[] = [];
  for (const [place, run] of runs.entries()) {
    const measured = figures[place];
    const start = halfHourOf(run.loud);
    const background_db = halfHours.get(start - HALF_HOUR)?.l90_db ?? null;
    const threshold = thresholdOf(start, halfHours, criteria);
    if (!measured || threshold === null) continue;
    const duration_seconds = Number(run.end - run.loud) / 1e6;
    const { leq_db, peak_db } = measured;
    events.push({
      start: instantOfMicros(run.loud),
      end: instantOfMicros(run.end),
      duration_seconds,
      ...measured,
      sel_db: duration_seconds > 0 ? leq_db + 10 * Math.log10(duration_seconds) : null,
      threshold,
      background_db,
      background_at_floor: background_db === FLOOR_DB,
      // to a millionth: -0.1 - -10.1 is a little less than 10
      sel_complete: Math.round((peak_db - threshold + criteria.hysteresis) * 1e6) >= COMPLETE_DB * 1e6,
      ...(await edgesOf(store, query, run, { isNewest: place === 0, isOldest: place === runs.length - 1 })),
    });
  }
  return events;
}

const later = compile(
  sql`select exists (select from ${audioData} where ${audioData.time} > ${parameter('time')}) as found`,
  'later_points',
);

/**
 * Whether an event goes on before the interval, after it, or until now. Of a page only the oldest event can begin
 * before the interval, and only the newest one can be open: after an older one there is a later point.
 */
async function edgesOf(
  store: Store,
  { interval: { from, to }, criteria, now }: NoiseEventsQuery,
  { first, last, hold, isFollowed }: EndedRun,
  { isNewest, isOldest }: { isNewest: boolean; isOldest: boolean },
): Promise<Pick<NoiseEvent, 'truncated_start' | 'truncated_end' | 'open'>> {
  const newestAbove = async (range: Range): Promise<Run | undefined> => {
    if (range.from >= range.to) return undefined;
    const { runs, from } = await readRuns(store, range, criteria, 1);
    return runs[0] ?? newestAbove({ ...range, to: from });
  };
  const beginsBefore = async (start: bigint) => {
    const { longest } = holdsOf(criteria);
    const since = first - longest > FIRST_MICROS ? first - longest : FIRST_MICROS;
    const before = since < start ? await newestAbove({ from: since, to: first }) : undefined;
    return before !== undefined && before.last < start && first - before.last <= before.hold;
  };
  const truncated_start = isOldest && from !== null && (await beginsBefore(microsOf(from)));
  const truncated_end =
    to !== null && (await newestAbove({ from: microsOf(to), to: last + hold + 1n })) !== undefined;
  const mayGoOn = isNewest && !isFollowed && microsOf(now) - last <= hold;
  const [row] = mayGoOn
    ? await store.db.query<{ found: boolean }>(later, { time: instantOfMicros(last) })
    : [];
  return { truncated_start, truncated_end, open: row?.found === false };
}
