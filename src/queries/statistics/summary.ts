// Answers the statistics of a window.
import type { Interval } from '../../contract/instant.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { type Statistics, statisticsOf } from '../../statistics/figures.ts';
import { type Histogram, mergeHistograms } from '../../statistics/histogram.ts';
import {
  type HistogramRow,
  histogramOf,
  LEVEL,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
} from '../../store/counted-points.ts';
import { type Parts, type PartsQuery, readParts, usableRollups } from '../../store/rollup-planner.ts';
import { type Sources, unionOfPoints } from '../../store/source-scans.ts';
import type { Store } from '../../store/store.ts';

/** The statistics of `[from, to)`; an empty window has `point_count` 0 and null for the rest. */
export async function summary(store: Store, interval: Interval): Promise<Statistics> {
  return statisticsOf(await intervalHistogram(store, interval));
}

/** All points of `[from, to)`, by level and by frequency. */
export async function intervalHistogram(store: Store, interval: Interval): Promise<Histogram> {
  return histogramFrom(await readParts<HistogramRow>(store, interval, HISTOGRAM_QUERY));
}

export const HISTOGRAM_QUERY: PartsQuery = {
  select: selectHistogram,
  usable: usableRollups('histogram', true),
};

/**
 * Few points are kept aside and counted twice; of many, levels and frequencies are counted in scans of their own. Cached
 * buckets are not in the statement.
 *
 * @returns the select of {@link HistogramRow}s
 */
export function selectHistogram({ raw, isFew }: Sources): SQL {
  if (!isFew) return countedApart(raw);
  const points = unionOfPoints(raw, sql`rms_db, frequency_hz, is_silence`);
  return sql`with points as materialized (${points}) ${countedApart([sql`true`], sql`points`)}`;
}

/** TimescaleDB counts in vectors where a scan asks for the count of one column alone. */
function countedApart(raw: readonly SQL[], points?: SQL): SQL {
  const counted = (select: SQL) => unionOfPoints(raw, select, sql` group by 1`, points);
  return sql`
  select ${TOTALS}, levels, frequencies
  from (
    select ${TOTALS_OF_TOTALS}, json_build_array(array_agg(level), array_agg(level_count)) as levels
    from (${counted(sql`${LEVEL} as level, ${TOTALS_OF_POINTS}`)}) as measured
  ) as totals, (
    select json_build_array(array_agg(frequency_hz), array_agg(point_count)) as frequencies
    from (${counted(sql`frequency_hz, count(*) as point_count`)}) as counted
  ) as tones`;
}

export function histogramFrom({ rows, stored }: Parts<HistogramRow>): Histogram {
  return mergeHistograms([...stored, ...rows.map(histogramOf)]);
}
