// Judges a part of a limit by what was measured of it.
import { type Interval, instantOfMicros, microsOf } from '../../../contract/instant.ts';
import { isNightly, type Judgement } from '../../../contract/limits.ts';
import { earlier } from '../../../contract/ranges.ts';
import type { Totals } from '../../../rollups/histogram.ts';
import type { LimitPart } from './contract.ts';
import type { figuresOfParts, PartFacts } from './limit-figures.ts';
import { type Judged, verdictOf } from './limit-state.ts';
import {
  certainLevelOf,
  levelOfStretch,
  loudestLevel,
  type Measured,
  secondsIn,
} from './measured-stretches.ts';

interface Moment {
  readonly interval: Interval;
  readonly past: Interval;
  readonly now: string;
  readonly judgement: Judgement;
  /** The offset from stored levels to the scale of limits, dB; null if unknown. */
  readonly offset_db: number | null;
  readonly lastTen: Totals;
}

type Judgements = Omit<LimitPart, keyof ReturnType<typeof figuresOfParts>>;

/** How many quarters of an hour may lack in a part, by day and by night. */
const MAY_LACK = { day: 2, night: 1 };

export function judgedPart(facts: PartFacts, moment: Moment): Judgements {
  const { part, limit, whole, minutes, overload, reason, offset_db, hasMaxima } = facts;
  const { interval, now, judgement } = moment;
  const { from, to } = part;
  const { start: _start, end: _end, ...ofLimit } = limit;
  const { lacking, candidates, isMeasured, measured_percent } = measuredOf(facts, now, judgement);
  const certain = loudestLevel((facts.pieces ?? [whole]).flatMap(certainLevelOf));
  const loudest = loudestLevel(candidates.flatMap(levelOfStretch));
  const shift = offset_db === null ? null : offset_db + limit.penalty_db;
  const onScale = (level: number | null | undefined) =>
    level == null || shift === null ? null : level + shift;
  const { over_range, max_db, above_power_sum } = whole.totals;
  const judged: Judged = {
    limit_db: limit.limit_db,
    level: onScale(loudest?.leq_db),
    lowest: onScale(loudest?.low_db),
    certain: onScale(certain?.leq_db),
    isCut: from < interval.from || to > interval.to,
    isRunning: to > now,
    isBegun: from < now,
    isMeasured,
    lacking: onScale(loudestLevel((lacking ?? []).flatMap(levelOfStretch))?.leq_db),
    isAtCeiling: over_range > 0 || overload.some(({ first }) => first !== null),
  };
  const verdict = reason ? { state: null, reason } : verdictOf(judged, judgement.uncertaintyDb);
  const isComparable = verdict.state !== null && shift !== null;
  // of a stretch with gaps, which is over whatever they held
  const isByCertain = verdict.state === 'over' && certain && !(loudest && loudest.leq_db >= certain.leq_db);
  const assessed = isByCertain ? certain : loudest;
  const assessed_db = onScale(assessed?.leq_db);
  const highest = max_db === null || moment.offset_db === null ? null : max_db + moment.offset_db;
  const maximum = {
    ...judged,
    limit_db: limit.max_limit_db ?? 0,
    level: highest,
    lowest: above_power_sum > 0 ? highest : null,
    certain: above_power_sum > 0 ? highest : null,
  };
  return {
    from,
    to,
    is_cut: judged.isCut,
    is_running: judged.isRunning,
    ...ofLimit,
    assess: limit.assess ?? judgement.assess,
    assessed_db,
    assessed_from: assessed_db === null ? null : (assessed?.from ?? null),
    max_state: hasMaxima ? verdictOf(maximum, judgement.uncertaintyDb).state : null,
    over_range,
    first_over_range: minutes && earliest([minutes.first_at_ceiling, ...overload.map(({ first }) => first)]),
    measured_percent,
    lacking_count: lacking?.length ?? null,
    ...verdict,
    used_percent: !isComparable
      ? null
      : isByCertain
        ? 100 * 10 ** ((certain.leq_db + shift - limit.limit_db) / 10)
        : usedPercent([...candidates, ...runningOf(facts, moment)], limit.limit_db - shift),
    ...(isComparable ? leftOf(facts, moment, shift) : NOTHING_LEFT),
  };
}

/** How much of a part was measured, and which of its stretches may be assessed. */
function measuredOf({ part, limit, whole, pieces }: PartFacts, now: string, judgement: Judgement) {
  const { minMeasuredPercent: least } = judgement;
  const elapsed = secondsIn({ from: part.from, to: earlier(part.to, now) });
  const measured_percent = elapsed > 0 ? (whole.coverage ?? 0) * (whole.shownSeconds / elapsed) : null;
  const isEnough = (each: Measured) =>
    100 * each.measuredSeconds >= least * (secondsIn(each) - each.excludedSeconds);
  if (!pieces)
    return {
      measured_percent,
      candidates: [whole],
      isMeasured: measured_percent !== null && measured_percent >= least,
      lacking: null,
    };
  const ended = pieces.filter((each) => each.isWhole && each.excludedSeconds < secondsIn(each));
  const [candidates = [], lacking = []] = [true, false].map((enough) =>
    ended.filter((each) => isEnough(each) === enough),
  );
  const isQuarters = (limit.assess ?? judgement.assess) === '15m';
  const mayLack = isQuarters ? MAY_LACK[isNightly(limit) ? 'night' : 'day'] : 0;
  const isMeasured = lacking.length <= mayLack;
  return { measured_percent, candidates, isMeasured, lacking };
}

const NOTHING_LEFT = { average_left_db: null, passed_at: null };

/** What the rest of a running stretch may be. @param shift_db from stored levels to the limit, with the penalty */
function leftOf(facts: PartFacts, moment: Moment, shift_db: number) {
  const { limit_db, penalty_db } = facts.limit;
  const { now, lastTen } = moment;
  const [running] = runningOf(facts, moment);
  const power = running ? powerOf(running.totals) : null;
  if (!running || power === null) return NOTHING_LEFT;
  const { from, to } = running;
  const left = secondsIn({ from: now, to });
  const budget =
    10 ** ((limit_db - shift_db) / 10) * secondsIn(running) - power * secondsIn({ from, to: now });
  if (budget <= 0) return NOTHING_LEFT;
  const lastPower = powerOf(lastTen);
  const seconds = lastPower === null ? left : Math.min(budget / lastPower, left);
  const passed_at = instantOfMicros(microsOf(now) + BigInt(Math.round(seconds * 1e6)));
  return {
    average_left_db: 10 * Math.log10(budget / left) + shift_db - penalty_db,
    passed_at: passed_at < to ? passed_at : null,
  };
}

/** The stretch that runs now, if the interval shows it from its start up to now. */
function runningOf({ whole, pieces = [whole] }: PartFacts, { past, now }: Moment): Measured[] {
  const running = pieces.find(({ from, to }) => from < now && to > now);
  return running && past.to >= now && running.from >= past.from ? [running] : [];
}

const powerOf = ({ power_sum, level_count }: Totals) => (level_count > 0 ? power_sum / level_count : null);

/** @param limit_db on the scale of stored levels, with penalties deducted */
function usedPercent(stretches: readonly Measured[], limit_db: number): number | null {
  const used = stretches.flatMap((each) => {
    const power = powerOf(each.totals);
    return power === null ? [] : (power * each.shownSeconds) / secondsIn(each) / 10 ** (limit_db / 10);
  });
  return used.length > 0 ? 100 * Math.max(...used) : null;
}

const earliest = (times: readonly (string | null)[]) =>
  times.reduce((a, b) => (a === null || (b !== null && b < a) ? b : a), null);
