// The statistics of a window.
import { type SQL, sql } from 'drizzle-orm';
import type { SummaryOutput } from '../../contract/summary.ts';
import {
  type Bucket,
  type Counts,
  FIRST_LEVEL,
  HISTOGRAMS,
  merge,
  type Totals,
} from '../../timescale/buckets.ts';
import type { Store } from '../../timescale/rollups-in-use.ts';
import {
  histogramsOfPoints,
  NO_VERSIONS,
  type Part,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
  versionsOf,
} from './algebra.ts';
import { answerFrom, type Found, type Question, usableOf } from './cheapest-sources.ts';
import { countsFrom, exceededLevels, figuresOf, mostFrequent } from './figures.ts';
import { type Sources, unionOfPoints } from './sources.ts';

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
  const points = unionOfPoints(sources, sql`${TOTALS_OF_POINTS}, ${histogramsOfPoints(sources.schema)}`);
  return sql`
  select null as parts, ${versionsOf(sources.rollups)} as versions,
    (select json_agg(points) from (select ${TOTALS}, ${sql.raw(HISTOGRAMS)} from (${points}) as points) as points) as points`;
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

function statisticsOf({ parts, stored, points }: Found): Statistics {
  const [all] = parts;
  const counted = merge([...stored, ...points]);
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

const levelsOf = (all: Part | undefined, counted: Bucket) =>
  all?.levels ? countsFrom(FIRST_LEVEL, all.levels) : counted.levels;

/** The rollups that hold all that a summary is made of. */
const COUNTED = usableOf('histogram');

export const SUMMARY: Question<Statistics> = {
  select: summaryOf,
  usable: COUNTED,
  finish: statisticsOf,
};

/**
 * What is known of the points of `[from, to)`: their totals, and how many lie at each level, by the tenth of a dB from
 * {@link FIRST_LEVEL} on.
 */
export function measured(
  store: Store,
  interval: { from: string; to: string },
): Promise<{ totals: Totals; levels: Counts }> {
  return answerFrom(store, interval, {
    ...SUMMARY,
    finish({ parts: [all], stored, points }) {
      const counted = merge([...stored, ...points]);
      return { totals: all ?? counted, levels: levelsOf(all, counted) };
    },
  });
}

/** The statistics of `[from, to)`; an empty window has `point_count` 0 and null for the rest. */
export function summary(store: Store, interval: { from: string; to: string }): Promise<Statistics> {
  return answerFrom(store, interval, SUMMARY);
}
