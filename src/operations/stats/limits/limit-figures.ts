// Adds up the figures of the parts of a limit.
import type { Limit } from '../../../contract/limits.ts';
import type { Reason, State } from '../../../contract/verdicts.ts';
import { figuresOf, lowestLeq } from '../../../rollups/figures.ts';
import { addUp } from '../../../rollups/histogram.ts';
import { type Overload, overloadPercent } from '../../../rollups/overload.ts';
import { type CountQuery, sumOfCounts } from '../../events/count-events.ts';
import type { EventCount } from '../../events/list/contract.ts';
import type { LimitFigures, LimitPart } from './contract.ts';
import type { LimitedPart } from './limit-parts.ts';
import { type Measured, secondsIn } from './measured-stretches.ts';
import type { MinutesAbove } from './minutes-above.ts';

export interface LimitFacts extends Pick<CountQuery, 'counted'> {
  readonly limit: Limit;
  /** Why levels cannot be compared with the limit; undefined if they can. */
  readonly reason: Reason | undefined;
  /** The offset from stored levels to the scale of the limit, dB; null if they cannot be compared. */
  readonly offset_db: number | null;
  /** Whether the limit has one for maxima, and the levels are Fast maxima that can be compared with it. */
  readonly hasMaxima: boolean;
}

export interface PartFacts extends LimitFacts {
  readonly part: LimitedPart;
  readonly whole: Measured;
  /** The assessed hours or quarters, as far as the interval shows them; undefined if the whole part is assessed. */
  readonly pieces: readonly Measured[] | undefined;
  /** Null if the interval is too long to count them. */
  readonly minutes: MinutesAbove | null;
  readonly overload: readonly Overload[];
  readonly events: readonly EventCount[];
}

export function figuresOfParts(
  { limit, offset_db, hasMaxima, counted }: LimitFacts,
  parts: readonly PartFacts[],
) {
  const totals = addUp(parts.map(({ whole }) => whole.totals));
  const { point_count, leq_db, max_db } = figuresOf(totals);
  const sum = (of: (minutes: MinutesAbove) => number) =>
    parts.reduce<number | null>(
      (all, { minutes }) => (all === null || minutes === null ? null : all + of(minutes)),
      0,
    );
  const compared = (of: (minutes: MinutesAbove) => number) => (offset_db === null ? null : sum(of));
  return {
    point_count,
    leq_db,
    leq_low_db: lowestLeq(totals),
    excess_db: leq_db === null || offset_db === null ? null : leq_db + offset_db - limit.limit_db,
    minute_count: sum(({ measured }) => measured),
    minutes_over: compared(({ above }) => above),
    minutes_undecided: compared(({ undecided }) => undecided),
    ...sumOfCounts(
      parts.flatMap(({ events }) => events),
      counted,
    ),
    overload_percent: overloadPercent(parts.flatMap(({ overload }) => overload)),
    max_db: hasMaxima ? max_db : null,
    max_over_count: hasMaxima ? sum(({ maxima }) => maxima) : null,
  };
}

interface JudgedFacts {
  readonly facts: PartFacts;
  readonly part: LimitPart;
}

/** Only parts that have ended, and that the interval does not cut, count. @param all the parts of all limits */
export function figuresOfLimit(of: LimitFacts, all: readonly JudgedFacts[]): LimitFigures {
  const parts = all.filter(({ facts }) => facts.limit === of.limit);
  const counted = parts.filter(({ part }) => !part.is_cut && !part.is_running);
  const states = counted.map(({ part }) => part.state);
  const state = worstOf(states);
  const worst = counted.filter(({ part }) => part.state === state).toSorted(louder)[0]?.part;
  const seconds = counted.reduce((sum, { part }) => sum + secondsIn(part), 0);
  const measured = counted.reduce((sum, { part }) => sum + (part.measured_percent ?? 0) * secondsIn(part), 0);
  const isComparable = of.reason === undefined;
  const count = (of: State) => (isComparable ? states.filter((each) => each === of).length : null);
  return {
    ...of.limit,
    ...figuresOfParts(
      of,
      parts.map(({ facts }) => facts),
    ),
    assessed_db: worst?.assessed_db ?? null,
    assessed_from: worst?.assessed_from ?? null,
    max_state: worstOf(counted.map(({ part }) => part.max_state)),
    measured_percent: seconds > 0 ? measured / seconds : null,
    state,
    reason: worst ? worst.reason : (parts.at(-1)?.part.reason ?? null),
    part_count: counted.length,
    parts_over: count('over'),
    parts_undecided: count('undecided'),
  };
}

const louder = (a: JudgedFacts, b: JudgedFacts) =>
  (b.part.assessed_db ?? Number.NEGATIVE_INFINITY) - (a.part.assessed_db ?? Number.NEGATIVE_INFINITY);

/** @returns the worst state; null if none is known */
function worstOf(states: readonly State[]): State {
  const order = ['over', 'undecided', 'under'] as const;
  return order.find((state) => states.includes(state)) ?? null;
}
