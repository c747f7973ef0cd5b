// Nights, each from noon to noon in the station's time zone, and their hours against the limits.
import { useMemo, useState } from 'react';
import type { Outputs } from '../../client/index.ts';
import { timeZoneClock } from '../../contract/time-zone-clock.ts';
import { useApiQuery } from './api-queries.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type NightTimes, type TimeSpan } from './calendar-intervals.ts';
import { useClock } from './live-level.ts';
import { dataOn, NO_LIMITS, type Shown } from './shown.ts';
import { asInput, asLevels } from './shown-interval.ts';
import { type Info, limitSteps, scaleIn, serviceZone, siteNight } from './site.ts';

type Series = Outputs['stats']['series'] | undefined;
type Quality = Outputs['stats']['quality'] | undefined;
type Limits = Outputs['stats']['limits'] | undefined;

export interface NightSpan extends TimeSpan {
  /** When the limit of the night begins. */
  readonly start: number;
}

const NOON_MS = DAY_MS / 2;

/** @returns nights, oldest first; the last one contains the moment before `end` */
export function nightsUpTo(end: number, count: number, zone: string, { start }: NightTimes): NightSpan[] {
  const clock = timeZoneClock(zone);
  const last = Math.floor((clock.shows(end - 1) - NOON_MS) / DAY_MS);
  return Array.from({ length: count }, (_, index) => {
    const noon = (last - count + 1 + index) * DAY_MS + NOON_MS;
    const midnight = start * MINUTE_MS < NOON_MS ? noon + NOON_MS : noon - NOON_MS;
    const [from, to] = [clock.firstAt(noon), clock.firstAt(noon + DAY_MS)];
    return { from, to, start: clock.firstAt(midnight + start * MINUTE_MS) };
  });
}

/**
 * @param oldest the first point
 * @returns a function for the part of `stats.limits` that is a night, if it has begun and is not older than all points
 */
export function partsByNight(limits: Limits, oldest: string | null, hasLimits = true) {
  const parts = new Map(limits?.parts.map((part) => [Date.parse(part.from), part]));
  return ({ start }: NightSpan) => {
    const part = parts.get(start);
    if (!part || part.measured_percent === null || oldest === null || part.to <= oldest) return undefined;
    return hasLimits ? part : { ...part, state: null };
  };
}

/** @returns a function for the hours of a night within a span */
export function hoursAgainstLimits(
  { series, quality, limits }: { series?: Series; quality?: Quality; limits?: Limits },
  info: Pick<Info, 'limits' | 'oldest'>,
  span: TimeSpan,
  zone: string,
  now: number,
) {
  const clock = timeZoneClock(zone);
  const buckets = new Map(series?.buckets.map((bucket) => [Date.parse(bucket.time), bucket]));
  const oldest = info.oldest === null ? now : Date.parse(info.oldest);
  const scale = scaleIn(series?.scale);
  const compared = info.limits.filter(
    ({ start }) => !limits?.limits.some((of) => of.start === start && of.reason === 'other_weighting'),
  );
  const isComparable = !series || (scale.isAbsolute && scale.hasEnergy);
  const steps = isComparable ? limitSteps(compared, span, zone) : [];
  const measuredIn = quality && measuredBy(quality);
  return (night: TimeSpan) => {
    const starts = clock.hours(night.from, night.to);
    return starts.slice(0, -1).map((from, index) => {
      const to = starts[index + 1] ?? from;
      const middle = (from + to) / 2;
      const isKnown = to > oldest && from < now && series !== undefined;
      const { leq_db = null, point_count = 0 } = buckets.get(from) ?? {};
      return {
        ...{ from, to, leq_db },
        /** Hours after noon: a repeated hour shares its column, a skipped one leaves it empty. */
        column: Math.floor((clock.shows(from) - NOON_MS) / HOUR_MS) % 24,
        limit_db: steps.find((step) => step.from <= middle && middle < step.to)?.db ?? null,
        /** The measured share, from 0 to 1; null ahead of now and before the first point. */
        measured: isKnown ? (measuredIn?.({ from, to: Math.min(to, now) }, point_count) ?? 1) : null,
      };
    });
  };
}

export type Hour = ReturnType<ReturnType<typeof hoursAgainstLimits>>[number];

/** @returns a function for the share of a time without gaps and exclusions; by its points if not all are listed */
function measuredBy({ gaps, gap_count, exclusions, exclusion_count, spacing_seconds }: NonNullable<Quality>) {
  if (gaps.length < gap_count || exclusions.length < exclusion_count)
    return ({ from, to }: TimeSpan, points: number) =>
      Math.min((points * (spacing_seconds ?? 0) * 1000) / (to - from), 1);
  const lacks: TimeSpan[] = []; // without overlaps
  for (const { from, to } of [...gaps, ...exclusions].toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const end = lacks.at(-1)?.to ?? 0;
    lacks.push({ from: Math.max(Date.parse(from), end), to: Math.max(Date.parse(to), end) });
  }
  return ({ from, to }: TimeSpan) =>
    lacks.reduce(
      (share, lack) => share - Math.max(Math.min(lack.to, to) - Math.max(lack.from, from), 0) / (to - from),
      1,
    );
}

/** The strip has 14 nights. The table has one for each day of the interval, but at least 7 and at most 31. */
export const STRIP = 14;

/** Figures of the hour and the night that run are as old as this at most. */
const STEP_MS = 600_000;

/** The nights around the interval. While it moves within the last two weeks on screen, these stay where they are. */
export function useNights(shown: Shown) {
  const { interval, info } = shown;
  const now = useClock(MINUTE_MS);
  const zone = serviceZone();
  const [end, setEnd] = useState(interval.to);
  const count = Math.min(Math.max(Math.ceil((interval.to - interval.from) / DAY_MS), 7), 31);
  const nights = nightsUpTo(end, Math.max(count, STRIP), zone, siteNight());
  const [from = 0, to = 0] = [nights[0]?.from, nights.at(-1)?.to];
  if (end !== interval.to && (interval.from < from || interval.to > to)) setEnd(interval.to);
  const isLate = interval.from >= (nights.at(-count)?.from ?? 0);
  const last = isLate
    ? nights.length
    : Math.max(nights.findIndex((night) => interval.to <= night.to) + 1, count);

  const span = { from, to: Math.min(to, (Math.floor(now / STEP_MS) + 1) * STEP_MS) };
  const hasLimits = info.limits.length > 0;
  const hourly = { ...asLevels(span), bucket: '1h', time_zone: zone } as const;
  const byNight = { ...asLevels(span), ...(!hasLimits && { limits: NO_LIMITS }) };
  const series = useApiQuery('stats.series', hourly, ({ stats }) => stats.series.query);
  const quality = useApiQuery('stats.quality', asInput(span), ({ stats }) => stats.quality.query);
  const limits = useApiQuery('stats.limits', byNight, ({ stats }) => stats.limits.query);
  const hours = quality.isPending ? undefined : dataOn(shown, series); // hatched at once
  const [lacks, verdicts] = [dataOn(shown, quality), dataOn(shown, limits)];
  const hoursOf = useMemo(
    () =>
      hoursAgainstLimits({ series: hours, quality: lacks, limits: verdicts }, info, { from, to }, zone, now),
    [hours, lacks, verdicts, info, from, to, zone, now],
  );
  return {
    ...{ nights, rows: nights.slice(last - count, last), zone, hoursOf, series, limits },
    partOf: partsByNight(verdicts, info.oldest, hasLimits),
    scale: scaleIn(hours?.scale),
  };
}
