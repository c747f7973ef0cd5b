// Describes noise events: their figures, their thresholds, and whether they continue beyond the interval.
import { FIRST_MICROS, instantOfMicros, microsOf, type Range } from '../../contract/instant.ts';
import { FLOOR_DB } from '../../contract/level-unit.ts';
import { later } from '../../contract/ranges.ts';
import { compile, parameter, sql } from '../../database/drizzle.ts';
import { audioData, tables } from '../../database/schema.ts';
import { Outdated } from '../../rollups/rollup-state.ts';
import type { Store } from '../../rollups/store.ts';
import { backgroundsIn, halfHourOf } from '../stats/backgrounds.ts';
import { type Criteria, holdsOf, thresholdOf } from './event-criteria.ts';
import type { EndedRun } from './event-ends.ts';
import { figuresOfEvents } from './event-figures.ts';
import type { NoiseEvent } from './list/contract.ts';
import { type Run, readRuns } from './runs-above-level.ts';
import type { EventRun } from './search-runs-back.ts';

/** An exposure level is complete if the peak is this far above all that was left out. */
const COMPLETE_DB = 10;

/** What a search for events covers. A null end of the interval means no end. */
export interface EventsQuery {
  readonly interval: { readonly from: string | null; readonly to: string | null };
  readonly criteria: Criteria;
  readonly now: string;
}

/**
 * @param among all runs, newest first, from which `runs` were chosen
 * @returns the events of the runs, in order; in the last attempt at an answer, without events whose points were deleted
 *   meanwhile
 * @throws Outdated if points of an event were deleted meanwhile
 */
export async function describeEvents(
  store: Store,
  query: EventsQuery,
  runs: readonly EndedRun[],
  among: readonly EventRun[],
): Promise<NoiseEvent[]> {
  const { criteria } = query;
  const figures = await figuresOfEvents(store, runs);
  const starts = runs.map(({ loud }) => ({ from: loud, to: loud + 1n }));
  const backgrounds = await backgroundsIn(store, starts);
  const events: NoiseEvent[] = [];
  for (const [index, run] of runs.entries()) {
    const measured = figures[index];
    const background_db = backgrounds.of(halfHourOf(run.loud));
    const threshold = thresholdOf(background_db, criteria);
    if (!measured || threshold === null) {
      if (store.assumed?.isLast === false) throw new Outdated('Points of an event were deleted');
      continue;
    }
    const duration_seconds = Number(run.end - run.loud) / 1e6;
    const { leq_db, peak_db } = measured;
    events.push({
      start: instantOfMicros(run.loud),
      end: instantOfMicros(run.end),
      duration_seconds,
      ...measured,
      sel_db: leq_db !== null && duration_seconds > 0 ? leq_db + 10 * Math.log10(duration_seconds) : null,
      threshold,
      background_db,
      background_at_floor: background_db === FLOOR_DB,
      // rounded to a millionth: -0.1 - -10.1 is a little less than 10
      sel_complete: Math.round((peak_db - threshold + criteria.hysteresis) * 1e6) >= COMPLETE_DB * 1e6,
      ...(await edgesOf(store, query, run, {
        isNewest: run.loud === among[0]?.loud,
        isOldest: run.loud === among.at(-1)?.loud,
      })),
    });
  }
  return events;
}

const laterPoints = compile(
  sql<{
    found: boolean;
  }>`select exists (select from ${tables.points} where ${audioData.time} > ${parameter('time')}) as found`,
  'later_points',
);

/**
 * Whether an event continues before the interval, after it, or until now. Only the oldest event can begin before the
 * interval, and only the newest can be open: a later point follows every older event.
 */
async function edgesOf(
  store: Store,
  { interval: { from, to }, criteria, now }: EventsQuery,
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
    const since = later(first - longest, FIRST_MICROS);
    const before = since < start ? await newestAbove({ from: since, to: first }) : undefined;
    return before !== undefined && before.last < start && first - before.last <= before.hold;
  };
  const truncated_start = isOldest && from !== null && (await beginsBefore(microsOf(from)));
  const truncated_end =
    to !== null && (await newestAbove({ from: microsOf(to), to: last + hold + 1n })) !== undefined;
  const mayGoOn = isNewest && !isFollowed && microsOf(now) - last <= hold;
  const [row] = mayGoOn ? await store.db.query(laterPoints, { time: instantOfMicros(last) }) : [];
  return { truncated_start, truncated_end, open: row?.found === false };
}
