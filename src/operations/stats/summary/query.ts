// Computes the statistics of a window.
import type { Interval } from '../../../contract/instant.ts';
import { common, rangeOf } from '../../../contract/ranges.ts';
import { type SQL, sql } from '../../../database/drizzle.ts';
import {
  HISTORY_MINUTES,
  LEVEL,
  rollupsOf,
  TOTALS,
  TOTALS_OF_LEVEL,
  TOTALS_OF_LEVELS,
  TOTALS_OF_TOTALS,
  totalsColumns,
} from '../../../database/rollups.ts';
import { type Statistics, statisticsOf } from '../../../rollups/figures.ts';
import {
  addUp,
  type Histogram,
  type HistogramRow,
  histogramOf,
  mergeHistograms,
  subtractCounts,
  type Totals,
} from '../../../rollups/histogram.ts';
import type { Stored } from '../../../rollups/histogram-cache.ts';
import { overloadPercent } from '../../../rollups/overload.ts';
import { answerAll, type RollupQueries, type RollupQuery } from '../../../rollups/rollup-planner.ts';
import {
  type Scan,
  type Sources,
  selectsOf,
  unionAll,
  unionOfPoints,
} from '../../../rollups/source-scans.ts';
import { excludedOf, type Store } from '../../../rollups/store.ts';
import { bucketsBetween, totalsByBucket } from '../buckets.ts';
import { anyOverload, overloadBetween } from '../overload-between.ts';
import type { SummaryOutput } from './contract.ts';

/** The statistics of `[from, to)`; an empty window has `point_count` 0 and null for the rest. */
export async function summary(
  store: Store,
  interval: Interval,
): Promise<Statistics & Pick<SummaryOutput, 'overload_percent'>> {
  const [histogram, isOverloaded] = await answerHistogram(store, interval, [anyOverload(store, interval)]);
  const { from, to } = interval;
  const overload = await overloadBetween(store, isOverloaded, interval, [from, to], [histogram.point_count]);
  return { ...statisticsOf(histogram), overload_percent: overloadPercent(overload) };
}

export async function intervalHistogram(store: Store, interval: Interval): Promise<Histogram> {
  const [histogram] = await answerHistogram(store, interval, []);
  return histogram;
}

/**
 * The same, with the answers to other queries. A day's stored bucket also counts the points of a short exclusion. They
 * are subtracted from its counts, and only totals are read by half hours, because a month of half hours has twelve
 * million counts. A single such day is read just as fast by half hours.
 */
export async function answerHistogram<Others extends readonly unknown[]>(
  store: Store,
  interval: Interval,
  others: RollupQueries<Others>,
): Promise<readonly [Histogram, ...Others]> {
  const whole = histogramIn(interval);
  if (common(whole.ranges, excludedOf(store)).length <= 1)
    return answerAll<[Histogram, ...Others]>(store, [whole, ...others]);
  const [[totals = addUp([])], all, excluded, ...rest] = await answerAll<
    [Totals[], Histogram, Histogram, ...Others]
  >(store, [
    totalsByBucket(bucketsBetween(interval, [interval.from, interval.to])),
    { ...whole, among: 'all' },
    { ...whole, among: 'excluded', history: [] },
    ...others,
  ]);
  const levels = subtractCounts(all.levels, excluded.levels);
  const frequencies = subtractCounts(all.frequencies, excluded.frequencies);
  return [{ ...totals, levels, frequencies }, ...rest];
}

export const histogramIn = (interval: Interval): RollupQuery<HistogramRow, Histogram> => ({
  ranges: [rangeOf(interval)],
  usable: HISTOGRAMS,
  history: HISTORY_MINUTES,
  isStored: true,
  select: selectHistogram,
  answer: histogramFrom,
});

const HISTOGRAMS = rollupsOf('histogram');

/**
 * Few points are materialized and counted twice; for many, levels and frequencies have separate scans. Stored buckets
 * are not in the statement.
 *
 * @returns the select of {@link HistogramRow}s
 */
export function selectHistogram({ raw, isFew, history }: Pick<Sources, 'raw' | 'isFew' | 'history'>): SQL {
  if (history.length > 0)
    return sql`${selectHistogram({ raw, isFew, history: [] })} union all ${ofHistory(history)}`;
  if (!isFew) return countedApart(raw);
  const points = unionOfPoints(raw, sql`rms_db, frequency_hz, is_silence`);
  return sql`with points as materialized (${points}) ${countedApart([{ from: sql`points`, where: sql`true` }])}`;
}

/** Without levels and frequencies: only sums are left. */
const ofHistory = (history: readonly Scan[]) => sql`
  select ${TOTALS}, null, null, gone_count
  from (
    select ${TOTALS_OF_TOTALS}, sum(point_count) as gone_count
    from (${unionAll(selectsOf(history, totalsColumns()))}) as minutes having count(*) > 0
  ) as gone`;

/** TimescaleDB vectorises a count if the scan counts only one column. */
function countedApart(raw: readonly Scan[]): SQL {
  const counted = (select: SQL) => unionOfPoints(raw, select, sql` group by 1`);
  return sql`
  select ${TOTALS}, levels, frequencies, 0 as gone_count
  from (
    select ${TOTALS_OF_LEVELS}, json_build_array(array_agg(level) filter (where level is not null),
      array_agg(point_count) filter (where level is not null)) as levels
    from (${counted(sql`${LEVEL} as level, ${TOTALS_OF_LEVEL}`)}) as measured
  ) as totals, (
    select json_build_array(array_agg(frequency_hz), array_agg(point_count)) as frequencies
    from (${counted(sql`frequency_hz, count(*) as point_count`)}) as counted
  ) as tones`;
}

export async function histogramFrom(rows: readonly HistogramRow[], stored?: Stored): Promise<Histogram> {
  const parts = rows.map(histogramOf);
  return mergeHistograms(stored ? [await stored.sum(), ...parts] : parts);
}
