// Compares levels with limits: for each limit, and for each stretch in which one applies.
import { type Interval, microsOf } from '../../../contract/instant.ts';
import type { Judgement, Limit } from '../../../contract/limits.ts';
import { earlier, rangeOf } from '../../../contract/ranges.ts';
import { spacing } from '../../../points/point-times.ts';
import { figuresOf, lowestLeq } from '../../../rollups/figures.ts';
import { addUp, type Totals } from '../../../rollups/histogram.ts';
import { type Overload, overloadPercent } from '../../../rollups/overload.ts';
import { answerAll } from '../../../rollups/rollup-planner.ts';
import type { Store } from '../../../rollups/store.ts';
import { bucketsBetween, totalsByBucket } from '../buckets.ts';
import { coverageBetween } from '../coverage.ts';
import { anyOverload, overloadBetween } from '../overload-between.ts';
import type { LimitFigures, LimitPart } from './contract.ts';
import { eventsByPart, isCountable } from './limit-events.ts';
import type { LimitedPart } from './limit-parts.ts';
import { limitState, ROUNDING_DB, worstState } from './limit-state.ts';
import { type Loudest, loudestStretch, loudestStretches } from './loudest-stretch.ts';
import { type MinutesAbove, minutesAbove, NO_MINUTES } from './minutes-above.ts';

export interface AgainstLimitsQuery {
  readonly interval: Interval;
  /** The time of the request. */
  readonly now: string;
  readonly limits: readonly Limit[];
  /** The parts of the interval, in order. */
  readonly parts: readonly LimitedPart[];
  /** The stretches of each part, of which the loudest is compared; undefined to compare whole parts. */
  readonly assessed?: readonly (readonly Interval[])[] | undefined;
  readonly judgement: Pick<Judgement, 'uncertaintyDb' | 'minMeasuredPercent'>;
  /** The offset from stored levels to the scale of the limits, dB; null if unknown. */
  readonly offset_db: number | null;
  /** Whether the levels have the mean energy of the sound: if not, nothing is compared with a limit. */
  readonly isEnergyKnown: boolean;
  readonly countsEvents: boolean;
}

/** The figures that a part adds to those of its limit. */
interface Measured {
  readonly totals: Totals;
  readonly minutes: MinutesAbove;
  readonly events: number | null;
  readonly overload: readonly Overload[];
}

export async function againstLimits(
  store: Store,
  query: AgainstLimitsQuery,
): Promise<{ limits: LimitFigures[]; parts: LimitPart[] }> {
  const { interval, now, limits, parts, countsEvents } = query;
  const offset_db = query.isEnergyKnown ? query.offset_db : null;
  const limitOf = (part: LimitedPart) => limits[part.limit]?.limit_db ?? 0;
  const cuts = [
    ...new Set([interval.from, ...parts.flatMap(({ from, to }) => [from, to]), interval.to]),
  ].sort();
  const partAt = new Map(parts.map((part) => [part.from, part]));
  const levels = cuts.slice(0, -1).map((cut) => {
    const part = partAt.get(cut);
    return part && offset_db !== null ? limitOf(part) - offset_db + ROUNDING_DB : null;
  });
  const past = { from: interval.from, to: earlier(interval.to, now) };
  const spacing_seconds = await spacing(store, interval.to, now);
  const stretches = loudestStretches(query.assessed ?? [], spacing_seconds);
  const [totals, minutes, coverage, isOverloaded, ...ofStretches] = await answerAll(store, [
    totalsByBucket(bucketsBetween(interval, cuts)),
    minutesAbove(rangeOf(past), cuts, levels),
    coverageBetween(past, cuts, spacing_seconds),
    anyOverload(store, interval),
    ...stretches.queries,
  ]);
  const loudest = query.assessed && stretches.loudestByPart(...ofStretches);
  const counts = totals.map(({ point_count }) => point_count);
  const overload = await overloadBetween(store, isOverloaded, interval, cuts, counts);
  const events = countsEvents ? await eventsByPart(store, query, spacing_seconds) : [];
  const indexByCut = new Map(cuts.map((cut, index) => [cut, index]));
  const figures = (some: readonly Measured[], limit_db: number) => {
    const isCounted = countsEvents && isCountable(limit_db, query.offset_db);
    return { ...figuresAgainst(some, limit_db, offset_db), event_count: isCounted ? eventsIn(some) : null };
  };
  const found = parts.map((part, at) => {
    const index = indexByCut.get(part.from) ?? 0;
    const measured: Measured = {
      totals: totals[index] ?? addUp([]),
      minutes: minutes[index] ?? NO_MINUTES,
      events: events[at] ?? null,
      overload: overload.slice(index, index + 1),
    };
    const { from, to, limit } = part;
    const { limit_db = 0, penalty_db = 0 } = limits[limit] ?? {};
    const measured_percent = coverage[index] ?? null;
    const compared = loudest ? loudest[at] : loudestStretch([{ from, totals: measured.totals }]);
    const { assessed_low_db, ...assessed } = assessedAs(
      compared,
      offset_db === null ? null : offset_db + penalty_db,
    );
    const judged = { ...assessed, assessed_low_db, limit_db, measured_percent };
    const state = offset_db === null ? null : limitState(judged, query.judgement);
    return {
      limit,
      measured,
      seconds: Math.max(0, secondsBetween(from, earlier(to, past.to))),
      part: {
        from,
        to,
        limit_db,
        penalty_db,
        ...figures([measured], limit_db),
        ...assessed,
        measured_percent,
        state,
      },
    };
  });
  return {
    limits: limits.map((limit, number) => {
      const its = found.filter((each) => each.limit === number);
      const countOf = (state: LimitPart['state']) =>
        offset_db === null ? null : its.filter(({ part }) => part.state === state).length;
      return {
        ...limit,
        ...figures(
          its.map(({ measured }) => measured),
          limit.limit_db,
        ),
        ...worstOf(its.map(({ part }) => part)),
        measured_percent: meanPercent(its),
        part_count: its.length,
        parts_over: countOf('over'),
        parts_undecided: countOf('undecided'),
      };
    }),
    parts: found.map(({ part }) => part),
  };
}

const secondsBetween = (from: string, to: string) => Number(microsOf(to) - microsOf(from)) / 1e6;

/** @param shift_db converts a stored level to the scale of the limit; null if unknown */
function assessedAs(loudest: Loudest | undefined, shift_db: number | null) {
  if (!loudest || shift_db === null) return { assessed_db: null, assessed_low_db: null, assessed_from: null };
  const { leq_db, leq_low_db, from } = loudest;
  return {
    assessed_db: leq_db + shift_db,
    assessed_low_db: leq_low_db === null ? null : leq_low_db + shift_db,
    assessed_from: from,
  };
}

/** The worst state of some parts, and the highest assessed level of the parts in this state. */
function worstOf(parts: readonly LimitPart[]) {
  const worst = worstState(parts.map(({ state }) => state));
  const level = ({ assessed_db }: LimitPart) => assessed_db ?? Number.NEGATIVE_INFINITY;
  const [loudest] = parts.filter(({ state }) => state === worst).toSorted((a, b) => level(b) - level(a));
  return {
    assessed_db: loudest?.assessed_db ?? null,
    assessed_from: loudest?.assessed_from ?? null,
    state: worst,
  };
}

/** The measured share of some parts, weighted by their length up to now. */
function meanPercent(
  found: readonly { seconds: number; part: Pick<LimitPart, 'measured_percent'> }[],
): number | null {
  const seconds = found.reduce((sum, each) => sum + each.seconds, 0);
  const measured = found.reduce((sum, { seconds, part }) => sum + seconds * (part.measured_percent ?? 0), 0);
  return seconds > 0 ? measured / seconds : null;
}

function figuresAgainst(parts: readonly Measured[], limit_db: number, offset_db: number | null) {
  const totals = addUp(parts.map((part) => part.totals));
  const { point_count, leq_db } = figuresOf(totals);
  const sum = (of: (part: Measured) => number) => parts.reduce((all, part) => all + of(part), 0);
  return {
    point_count,
    leq_db,
    leq_low_db: lowestLeq(totals),
    excess_db: leq_db === null || offset_db === null ? null : leq_db + offset_db - limit_db,
    minute_count: sum(({ minutes }) => minutes.measured),
    minutes_over: offset_db === null ? null : sum(({ minutes }) => minutes.above),
    minutes_undecided: offset_db === null ? null : sum(({ minutes }) => minutes.undecided),
    overload_percent: overloadPercent(parts.flatMap((part) => part.overload)),
  };
}

const eventsIn = (parts: readonly Measured[]): number | null =>
  parts.reduce<number | null>(
    (sum, { events }) => (sum === null || events === null ? null : sum + events),
    0,
  );
