// Answers the statistics of a window.

import { type SQL, sql } from 'drizzle-orm';
import type { Interval } from '../../contract/instant.ts';
import type { SummaryOutput } from '../../contract/summary.ts';
import { countsFrom, exceededLevels, figuresOf, mostFrequent } from '../../statistics/figures.ts';
import {
  type Counts,
  FIRST_LEVEL,
  HISTOGRAMS,
  type HistogramTotals,
  mergeTotals,
  type Totals,
} from '../../statistics/histogram.ts';
import {
  type BucketPart,
  HISTOGRAMS_OF_POINTS,
  histogramsOfPoints,
  NO_VERSIONS,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
  versionsOf,
} from '../../store/counted-points.ts';
import { answerFrom, type RollupQuery, type Summands, usableRollups } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/rollups-in-use.ts';
import { type Sources, unionOfPoints } from '../../store/source-scans.ts';

export type Statistics = Omit<SummaryOutput, 'period' | 'from' | 'to'>;

/**
 * @returns the select that gives a `StatisticsRow`
 *
 * Reads few points only once: planning another scan takes longer than counting them.
 */
export function summarySelect(sources: Sources): SQL {
  if (sources.rollups.length > 0) return besideHistograms(sources);
  return sources.isShort
    ? sql`
  with points as materialized (${unionOfPoints(sources, sql`rms_db, frequency_hz, is_silence`)})
  select * from (${ofPoints({ ...sources, raw: [sql`true`], points: sql`points` })}) as answer`
    : ofPoints(sources);
}

/** Counts the points that no histogram covers, in the form that TimescaleDB stores. */
function besideHistograms(sources: Sources): SQL {
  const { schema } = sources;
  const points =
    schema === undefined
      ? sql`select ${TOTALS_OF_POINTS}, ${HISTOGRAMS_OF_POINTS} from points`
      : unionOfPoints(sources, sql`${TOTALS_OF_POINTS}, ${histogramsOfPoints(schema)}`);
  const all = unionOfPoints(sources, sql`rms_db, frequency_hz, is_silence`);
  return sql`
  ${schema === undefined ? sql`with points as materialized (${all})` : sql``}
  select null as parts, ${versionsOf(sources.rollups)} as versions,
    (select json_agg(points) from (select ${TOTALS}, ${sql.raw(HISTOGRAMS)} from (${points}) as points) as points) as points`;
}

/**
 * Without rollups one scan holds all points, so its groups are whole. Frequencies have a scan of their own:
 * TimescaleDB uses vectorised aggregation only if nothing else is asked, not even a value of another type.
 */
function ofPoints(sources: Sources): SQL {
  return sql`
  with measured as (
    ${unionOfPoints(sources, sql`(rms_db::float8 * 10)::int as level, ${TOTALS_OF_POINTS}`, sql` group by 1`)}
  ),
  counted as (
    ${unionOfPoints(sources, sql`frequency_hz, count(*) as point_count`, sql` group by frequency_hz`)}
  ),
  totals as (select ${TOTALS_OF_TOTALS} from measured),
  part as (
    select ${TOTALS},
      (select json_build_array(array_agg(level), array_agg(level_count)) from measured) as levels,
      (select frequency_hz from counted where frequency_hz is not null
        order by point_count desc, frequency_hz limit 1) as dominant_frequency_hz
    from totals
  )
  select (select json_agg(part) from part) as parts, ${NO_VERSIONS} as versions`;
}

function statisticsOf({ parts, stored, points }: Summands): Statistics {
  const [all] = parts;
  const counted = mergeTotals([...stored, ...points]);
  const exceeded = exceededLevels(levelsOf(all, counted));
  return {
    ...figuresOf(all ?? counted),
    l1_db: exceeded(1),
    l5_db: exceeded(5),
    l10_db: exceeded(10),
    l50_db: exceeded(50),
    l90_db: exceeded(90),
    l95_db: exceeded(95),
    l99_db: exceeded(99),
    dominant_frequency_hz: all ? all.dominant_frequency_hz : mostFrequent(counted.frequencies),
  };
}

const levelsOf = (all: BucketPart | undefined, counted: HistogramTotals) =>
  all?.levels ? countsFrom(FIRST_LEVEL, all.levels) : counted.levels;

export const SUMMARY: RollupQuery<Statistics> = {
  select: summarySelect,
  usable: usableRollups('histogram'),
  finish: statisticsOf,
};

/**
 * The totals of the points of `[from, to)`, and how many of them have each level, by the tenth of a dB from
 * {@link FIRST_LEVEL} on.
 */
export function totalsAndLevels(
  store: Store,
  interval: Interval,
): Promise<{ totals: Totals; levels: Counts }> {
  return answerFrom(store, interval, {
    ...SUMMARY,
    finish({ parts: [all], stored, points }) {
      const counted = mergeTotals([...stored, ...points]);
      return { totals: all ?? counted, levels: levelsOf(all, counted) };
    },
  });
}

/** The statistics of `[from, to)`; an empty window has `point_count` 0 and null for the rest. */
export function summary(store: Store, interval: Interval): Promise<Statistics> {
  return answerFrom(store, interval, SUMMARY);
}
