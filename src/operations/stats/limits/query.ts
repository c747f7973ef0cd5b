// Compares levels with limits: for each limit, and for each stretch in which one applies.
import { addSeconds } from '../../../contract/instant.ts';
import type { Judgement, Limit } from '../../../contract/limits.ts';
import type { LevelScale } from '../../../contract/periods.ts';
import { clip, earlier, later, rangeOf } from '../../../contract/ranges.ts';
import { offsetOf } from '../../../contract/shown-scale.ts';
import type { Reason } from '../../../contract/verdicts.ts';
import { spacing, spacingOfPoints } from '../../../points/point-times.ts';
import { addUp } from '../../../rollups/histogram.ts';
import { answerAll, nothingToRead } from '../../../rollups/rollup-planner.ts';
import type { Store } from '../../../rollups/store.ts';
import { type CountQuery, countEvents } from '../../events/count-events.ts';
import { haveTwoLengths, intervalAt } from '../../periods.ts';
import { bucketsBetween, totalsByBucket } from '../buckets.ts';
import { isLongForGaps } from '../coverage.ts';
import { anyOverload, overloadBetween } from '../overload-between.ts';
import type { LimitFigures, LimitPart } from './contract.ts';
import { figuresOfLimit, figuresOfParts, type LimitFacts, type PartFacts } from './limit-figures.ts';
import type { LimitedPart } from './limit-parts.ts';
import { type Measured, measuredStretches } from './measured-stretches.ts';
import { minuteLimits, minutesAbove, NO_MINUTES } from './minutes-above.ts';
import { judgedPart } from './part-verdict.ts';

export interface AgainstLimitsQuery extends CountQuery {
  readonly limits: readonly Limit[];
  readonly parts: readonly LimitedPart[];
  readonly judgement: Judgement;
  readonly scale: LevelScale;
  /** The sound pressure level in dB that 0 dBFS stands for; null if unknown. */
  readonly calibrationOffsetDb: number | null;
}

/** The last ten minutes tell when a running part will exceed its limit. */
const LAST_SECONDS = 600;

export async function againstLimits(
  store: Store,
  query: AgainstLimitsQuery,
): Promise<{ offset_db: number | null; limits: LimitFigures[]; parts: LimitPart[] }> {
  const { interval, now, limits, parts, judgement, scale } = query;
  const offset_db = offsetOf(scale, query.calibrationOffsetDb);
  const compared = limits.map((limit) => ({
    limit,
    hasMaxima: hasComparableMaxima(scale, limit, judgement, offset_db),
  }));
  const past = { from: interval.from, to: earlier(interval.to, now) };
  const spacing_seconds = await spacing(store, interval.to, now);
  const limitAt = new Map(parts.map((part) => [part.from, compared[part.limit]]));
  const stretchesOf = ({ stretches }: LimitedPart) =>
    (stretches ?? []).filter(({ from, to }) => from < past.to && to > past.from);
  const isLong = isLongForGaps(past);
  const wholes = measuredStretches(store, past, parts, spacing_seconds);
  const pieces = measuredStretches(store, past, parts.flatMap(stretchesOf), spacing_seconds);
  const least = wholes.cuts.map((cut) => minuteLimits(limitAt.get(cut), offset_db, judgement.uncertaintyDb));
  const isRunning = interval.to >= now && parts.some(({ from, to }) => from < now && to > now);
  const last = { from: later(interval.from, addSeconds(now, -LAST_SECONDS) ?? now), to: now };
  const [minutes, isOverloaded, lastTotals, totals, coverage, ...ofPieces] = await answerAll(store, [
    isLong ? nothingToRead([]) : minutesAbove(rangeOf(past), wholes.cuts, least.slice(0, -1)),
    anyOverload(store, interval),
    isRunning ? totalsByBucket(bucketsBetween(last, [last.from, last.to])) : nothingToRead([]),
    ...wholes.queries,
    ...pieces.queries,
  ]);
  const counts = totals.map(({ point_count }) => point_count);
  const overload = await overloadBetween(store, isOverloaded, past, wholes.cuts, counts);
  const measured = wholes.measured([totals, coverage]);
  const measuredPieces = pieces.measured(ofPieces);
  const isSample = await isSampled(store, measured, judgement, interval.to, now);
  const mixed = await Promise.all(parts.map((part) => haveTwoLengths(store, clip(part, past))));
  const shown = parts.map((part) => rangeOf(clip(part, interval)));
  const events = await countEvents(store, query, shown);
  const moment = { interval, past, now, judgement, offset_db, lastTen: addUp(lastTotals) };
  const each = compared.map((of): LimitFacts => {
    const reason = whyIncomparable(scale, of.limit, judgement, offset_db, isSample);
    const { counted } = query;
    return { ...of, reason, offset_db: reason === undefined ? offset_db : null, counted };
  });
  const found = parts.flatMap((part, at) => {
    const [of, whole, index] = [each[part.limit], measured[at], wholes.indexOf(part)];
    const mine = measuredPieces.splice(0, stretchesOf(part).length);
    if (!of || !whole) return [];
    const facts: PartFacts = {
      ...of,
      reason: of.reason ?? (mixed[at] ? 'two_scales' : undefined),
      part,
      whole,
      pieces: part.stretches && mine,
      minutes: isLong ? null : (minutes[index] ?? NO_MINUTES),
      overload: overload.slice(index, index + 1),
      events: events.slice(at, at + 1),
    };
    return { facts, part: { ...figuresOfParts(of, [facts]), ...judgedPart(facts, moment) } };
  });
  return {
    offset_db,
    limits: each.map((of) => figuresOfLimit(of, found)),
    parts: found.map(({ part }) => part),
  };
}

const isWeighted = (scale: LevelScale, { weighting }: Limit, site: Judgement) =>
  (scale.weighting ?? site.weighting) === weighting;

/** Whether the limit has one for maxima, and the levels are Fast maxima of its weighting, on one scale. */
const hasComparableMaxima = (scale: LevelScale, limit: Limit, site: Judgement, offset_db: number | null) =>
  limit.max_limit_db !== null &&
  scale.statistic === 'max' &&
  scale.time_weighting === 'fast' &&
  isWeighted(scale, limit, site) &&
  offset_db !== null;

/** @returns undefined if levels can be compared */
function whyIncomparable(
  scale: LevelScale,
  limit: Limit,
  site: Judgement,
  offset_db: number | null,
  isSample: boolean,
): Reason | undefined {
  if (scale.energy_unavailable) return 'energy_of_maxima';
  if (isSample) return 'samples';
  if (scale.unit === null) return 'two_scales';
  if (!isWeighted(scale, limit, site)) return 'other_weighting';
  return offset_db === null ? 'not_calibrated' : undefined;
}

/** Windows shorter than this share of the spacing of points are samples of the time between. */
const LEAST_SHARE = 0.1;

/** Whether points represent only a small share of the time between them. Such points leave gaps. */
async function isSampled(
  store: Store,
  measured: readonly Measured[],
  { minMeasuredPercent }: Judgement,
  to: string,
  now: string,
): Promise<boolean> {
  const hasGaps = measured.some(({ coverage }) => coverage !== null && coverage < minMeasuredPercent);
  const window = intervalAt(store, to);
  if (!hasGaps || window === null) return false;
  const seconds = await spacingOfPoints(store, to, now);
  return seconds !== null && window / 1000 < LEAST_SHARE * seconds;
}
