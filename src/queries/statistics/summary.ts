// Answers the statistics of a window.
import { type SQL, sql } from 'drizzle-orm';
import type { Interval } from '../../contract/instant.ts';
import type { SummaryOutput } from '../../contract/summary.ts';
import { exceededLevels, figuresOf, mostFrequent } from '../../statistics/figures.ts';
import { FIRST_FREQUENCY, FIRST_LEVEL, type Histogram, mergeHistograms } from '../../statistics/histogram.ts';
import {
  arraysOfPoints,
  countsFrom,
  type GivenCounts,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
  type TotalsRow,
  totalsOf,
} from '../../store/counted-points.ts';
import { type Parts, type PartsQuery, readParts, usableRollups } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/rollups-in-use.ts';
import { type Sources, unionOfPoints } from '../../store/source-scans.ts';

export type Statistics = Omit<SummaryOutput, 'period' | 'from' | 'to'>;

/** The statistics of `[from, to)`; an empty window has `point_count` 0 and null for the rest. */
export async function summary(store: Store, interval: Interval): Promise<Statistics> {
  return statisticsOf(await histogramOf(store, interval));
}

/** All points of `[from, to)`, by level and by frequency. */
export async function histogramOf(store: Store, interval: Interval): Promise<Histogram> {
  return histogramFrom(await readParts<HistogramRow>(store, interval, HISTOGRAM));
}

export const HISTOGRAM: PartsQuery = { select: selectHistogram, usable: usableRollups('histogram', true) };

export interface HistogramRow extends TotalsRow {
  /** In tenths of a dB. */
  readonly levels: GivenCounts;
  /** In hertz. */
  readonly frequencies: GivenCounts;
}

/** @returns the select of {@link HistogramRow}s */
export function selectHistogram({ raw, isFew, histogram }: Sources): SQL {
  if (isFew) {
    const points = unionOfPoints(raw, sql`rms_db, frequency_hz, is_silence`);
    return sql`with points as materialized (${points}) ${countedApart([sql`true`], sql`points`)}`;
  }
  if (!histogram) return countedApart(raw);
  const counted = unionOfPoints(raw, sql`${TOTALS_OF_POINTS}, ${arraysOfPoints(histogram)}`);
  return sql`select ${TOTALS}, levels, frequencies from (${counted}) as counted`;
}

/**
 * Frequencies have a scan of their own: TimescaleDB uses vectorised aggregation only if nothing else is asked, not even
 * a value of another type.
 */
function countedApart(raw: readonly SQL[], points?: SQL): SQL {
  const counted = (select: SQL) => unionOfPoints(raw, select, sql` group by 1`, points);
  return sql`
  select ${TOTALS}, levels, frequencies
  from (
    select ${TOTALS_OF_TOTALS}, json_build_array(array_agg(level), array_agg(level_count)) as levels
    from (${counted(sql`(rms_db::float8 * 10)::int as level, ${TOTALS_OF_POINTS}`)}) as measured
  ) as totals, (
    select json_build_array(array_agg(frequency_hz), array_agg(point_count)) as frequencies
    from (${counted(sql`frequency_hz, count(*) as point_count`)}) as counted
  ) as tones`;
}

export function histogramFrom({ rows, stored }: Parts<HistogramRow>): Histogram {
  const counted = rows.map(({ levels, frequencies, ...row }) => ({
    ...totalsOf(row),
    levels: countsFrom(FIRST_LEVEL, levels),
    frequencies: countsFrom(FIRST_FREQUENCY, frequencies),
  }));
  return mergeHistograms([...stored, ...counted]);
}

export function statisticsOf(histogram: Histogram): Statistics {
  const exceeded = exceededLevels(histogram.levels);
  return {
    ...figuresOf(histogram),
    l1_db: exceeded(1),
    l5_db: exceeded(5),
    l10_db: exceeded(10),
    l50_db: exceeded(50),
    l90_db: exceeded(90),
    l95_db: exceeded(95),
    l99_db: exceeded(99),
    dominant_frequency_hz: mostFrequent(histogram.frequencies),
  };
}
