// The statistics of a window.
import { type SQL, sql } from 'drizzle-orm';
import type { SummaryOutput } from '../contract/summary.ts';
import { type Bucket, FIRST_LEVEL } from '../timescale/histograms.ts';
import { RESOLUTIONS } from '../timescale/rollups.ts';
import type { Store } from '../timescale/rollups-in-use.ts';
import {
  HISTOGRAMS,
  HISTOGRAMS_OF_POINTS,
  type Sources,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
  unionOfPoints,
  versionsOf,
} from './algebra.ts';
import { answerFrom, type Found, type Question, type Usable } from './cheapest-sources.ts';
import { countsFrom, exceededLevels, figuresOf, merge, mostFrequent } from './figures.ts';

export type Statistics = Omit<SummaryOutput, 'period' | 'from' | 'to'>;

/**
 * @returns the select that gives an `Answer`
 *
 * Few points are read once: to plan another scan takes longer than to count them.
 */
export function summaryOf(sources: Sources): SQL {
  if (sources.rollups.length > 0) return besideHistograms(sources);
  return sources.isShort
    ? sql`
  with points as materialized (${unionOfPoints(sources, sql`rms_db, frequency_hz, is_silence`)})
  select * from (${ofPoints({ ...sources, raw: [sql`true`], points: sql`points` })}) as answer`
    : ofPoints(sources);
}

/** Counts the points as TimescaleDB counted those of the buckets. */
function besideHistograms(sources: Sources): SQL {
  const points = unionOfPoints(sources, sql`${TOTALS_OF_POINTS}, ${HISTOGRAMS_OF_POINTS}`);
  return sql`
  select null as parts, ${versionsOf(sources.rollups)} as versions,
    (select json_agg(points) from (select ${TOTALS}, ${HISTOGRAMS} from (${points}) as points) as points) as points`;
}

/**
 * Without rollups all points are in one scan, whose groups are whole. Frequencies have a scan of their own:
 * TimescaleDB counts in vectors where nothing else is asked, not even another type.
 */
function ofPoints(sources: Sources): SQL {
  return sql`
  with measured as (
    ${unionOfPoints(sources, sql`(rms_db::float8 * 10)::int as level, ${TOTALS_OF_POINTS}`, sql` group by 1`)}
  ),
  counted as (
    ${unionOfPoints(sources, sql`frequency_hz, count(*) as point_count`, sql` group by frequency_hz`)}
  ),
  part as (
    select ${TOTALS_OF_TOTALS}, json_build_array(array_agg(level), array_agg(level_count)) as levels,
      (select frequency_hz from counted where frequency_hz is not null
        order by point_count desc, frequency_hz limit 1) as dominant_frequency_hz
    from measured
  )
  select (select json_agg(part) from part) as parts, ${versionsOf([])} as versions`;
}

export function statisticsOf({ parts, stored, points }: Found<Bucket>): Statistics {
  const [all] = parts;
  const counted = merge([...stored, ...points]);
  const exceeded = exceededLevels(all?.levels ? countsFrom(FIRST_LEVEL, all.levels) : counted.levels);
  return {
    ...figuresOf(all ?? counted),
    l10_db: exceeded(10),
    l50_db: exceeded(50),
    l90_db: exceeded(90),
    dominant_frequency_hz: all ? all.dominant_frequency_hz : mostFrequent(counted.frequencies),
  };
}

/** The rollups that hold all that a summary is made of. */
export const COUNTED: readonly Usable[] = RESOLUTIONS.filter(({ isCounted }) => isCounted).map(
  ({ name, seconds }) => ({ resolution: name, seconds, key: 'histogram' }),
);

export const SUMMARY: Question<Bucket, Statistics> = {
  select: summaryOf,
  usable: COUNTED,
  read: (histograms, versions) => histograms.readMerged(versions, merge),
  finish: statisticsOf,
};

/** The statistics of `[from, to)`; an empty window has `point_count` 0 and null for the rest. */
export function summary(store: Store, interval: { from: string; to: string }): Promise<Statistics> {
  return answerFrom(store, interval, SUMMARY);
}
