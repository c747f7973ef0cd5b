// All that the page asks about the interval on screen, at once.
import { useMemo } from 'react';
import type { Outputs } from '../../client/index.ts';
import { criteriaOf, type EventOrder, useApiQuery, useEvents } from './api-queries.ts';
import { daysBefore } from './calendar-intervals.ts';
import type { Interval } from './interval.ts';
import { asInput } from './shown-interval.ts';
import { timeZone } from './time-zone.ts';
import { COMPARISONS, DAY_MS, type View } from './view-in-address.ts';

type Info = Outputs['service']['info'];

/** What of the page is asked for only where it is shown. */
export interface Wanted {
  readonly order: EventOrder;
  /** Of which interval events are listed, where it is not the one on screen. */
  readonly eventsOf: Interval | undefined;
  readonly hasHours: boolean;
  readonly hasEventsByHour: boolean;
  /** The most buckets of a chart. */
  readonly buckets: number;
}

export type PanelQueries = ReturnType<typeof usePanelQueries>;

/** How many of the loudest events paper has; the screen has fewer. */
const LOUDEST = 20;
const HOUR_MS = 3_600_000;
/** In longer intervals levels are counted only where buckets have rollups of them. */
const COUNTED_MS = HOUR_MS;
const ROLLED_UP_MS = 900_000;
/** Shorter intervals are drawn point by point. */
const BY_POINT_MS = 60_000;

export function usePanelQueries(view: View, interval: Interval, info: Info, wanted: Wanted) {
  const zone = timeZone();
  const times = asInput(interval);
  const length = interval.to - interval.from;
  const leastBuckets = Math.ceil(length / DAY_MS) + 1; // a bucket is a day at most
  const max_points = Math.max(wanted.buckets, leastBuckets);
  const isCounted = length <= COUNTED_MS || length / max_points > ROLLED_UP_MS;
  const exceeded_levels = isCounted ? 'include' : 'omit';
  const spansDays = length > DAY_MS;

  const ofLevels = { ...times, max_points, exceeded_levels } as const;
  const series = useApiQuery('stats.series', ofLevels, ({ stats }) => stats.series.query);
  const points = useApiQuery('audio.range', times, ({ audio }) => audio.range.query, length <= BY_POINT_MS);
  const before = useBefore(view, interval, max_points);
  const summary = useApiQuery('stats.summary', times, ({ stats }) => stats.summary.query);
  const criteria = { ...criteriaOf(view), ...times };
  const lane = useApiQuery('events.series', { ...criteria, max_points }, ({ events }) => events.series.query);
  const top = useApiQuery('events.top', { ...criteria, limit: LOUDEST }, ({ events }) => events.top.query);
  const events = useEvents(wanted.eventsOf ?? interval, view, wanted.order);
  const quality = useApiQuery('stats.quality', times, ({ stats }) => stats.quality.query);
  const ofBands = { ...times, max_points: Math.max(wanted.buckets / 2, leastBuckets) };
  const frequencies = useApiQuery('stats.frequencies', ofBands, ({ stats }) => stats.frequencies.query);
  const days = useApiQuery(
    'stats.days',
    { ...times, time_zone: zone },
    ({ stats }) => stats.days.query,
    spansDays,
  );
  const byHour = { ...times, bucket: '1h', time_zone: zone } as const;
  const hours = useApiQuery(
    'stats.series',
    { ...byHour, exceeded_levels: 'include' } as const,
    ({ stats }) => stats.series.query,
    wanted.hasHours,
  );
  const eventHours = useApiQuery(
    'events.series',
    { ...criteria, ...byHour },
    ({ events }) => events.series.query,
    wanted.hasHours && wanted.hasEventsByHour,
  );
  const limits = useApiQuery(
    'stats.limits',
    { ...times, time_zone: zone, events: 'true' } as const,
    ({ stats }) => stats.limits.query,
    info.limits.length > 0,
  );
  return {
    ...{ series, points, before, summary, lane, top, events, quality, frequencies, days },
    ...{ hours, eventHours, limits },
  };
}

/** The same interval a day or a week before, where the reader compares. */
function useBefore({ compare }: View, interval: Interval, max_points: number) {
  const zone = timeZone();
  const before = useMemo(
    () => daysBefore(interval, compare === null ? 0 : COMPARISONS[compare], zone),
    [interval, compare, zone],
  );
  const query = useApiQuery(
    'stats.series',
    { ...asInput(before), max_points },
    ({ stats }) => stats.series.query,
    compare !== null,
  );
  return { ...query, by: interval.from - before.from };
}

/** When the highest level of an interval was: in one more question where no event has it. */
export function useLoudestAt(
  interval: Interval,
  summary: Outputs['stats']['summary'] | undefined,
  top: Outputs['events']['top'] | undefined,
): string | null {
  // while an interval is asked for, answers are of the one before
  const isOf = (answer: { from: string; to: string } | undefined) =>
    answer && Date.parse(answer.from) === interval.from && Date.parse(answer.to) === interval.to;
  const isAnswered = isOf(summary) && isOf(top);
  const highest = summary?.max_db ?? null;
  const [loudest] = top?.events ?? [];
  const isEvent = loudest !== undefined && highest !== null && loudest.peak_db >= highest;
  const threshold = Math.max((highest ?? 0) - 0.001, -50);
  const { answer } = useApiQuery(
    'events.loud',
    { ...asInput(interval), threshold, limit: 1 },
    ({ events }) => events.loud.query,
    isAnswered === true && highest !== null && !isEvent,
  );
  const [point] = answer.data?.points ?? [];
  return isEvent ? loudest.peak_at : point?.rms_db === highest ? point.time : null;
}
