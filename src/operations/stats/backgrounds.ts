// Reads the background of points. It depends on earlier half hours (UTC) alone, whatever the interval of a query.
import { FIRST_MICROS, floorTo, LAST_MICROS, type Range } from '../../contract/instant.ts';
import { union, within } from '../../contract/ranges.ts';
import { epochOf, type SQL, sql } from '../../database/drizzle.ts';
import { LEVEL, rollupsOf } from '../../database/rollups.ts';
import { exceededLevels } from '../../rollups/figures.ts';
import { type Counts, countIn, countsFrom, FIRST_LEVEL, type GivenCounts } from '../../rollups/histogram.ts';
import { answer } from '../../rollups/rollup-planner.ts';
import { type Sources, unionOfPoints } from '../../rollups/source-scans.ts';
import { annotationsOf, ofAllPoints, type Store } from '../../rollups/store.ts';
import { changesOfScale } from '../periods.ts';
import { binned } from './buckets.ts';

export const HALF_HOUR = 1_800_000_000n;
export const DAY_MICROS = 86_400_000_000n;
/** The days before a point whose same half hour counts for its background. */
const DAYS_BEFORE = [1n, 2n, 3n, 4n, 5n, 6n, 7n];
const HALF_HOURS = rollupsOf('histogram').filter(({ seconds }) => seconds === 1800);

/** Levels to 0.1 dB. */
interface HalfHour {
  readonly l90_db: number;
  readonly max_db: number;
  readonly level_count: number;
}

/** The levels of half hours. A half hour is given by its start, in microseconds since 1970. */
export interface Backgrounds {
  /** The half hours read that have a level. */
  readonly halfHours: ReadonlyMap<bigint, HalfHour>;
  /** The background of the points of a half hour in the requested ranges, dB; null if nothing was measured before. */
  of(start: bigint): number | null;
}

/** The start of the half hour that holds a time, in microseconds since 1970. */
export const halfHourOf = (time: bigint): bigint => floorTo(time, HALF_HOUR);

/** @param ranges those of the half hours that touch one. @param needsLevels whether to read their levels too */
export async function backgroundsIn(
  store: Store,
  ranges: readonly Range[],
  needsLevels = false,
): Promise<Backgrounds> {
  const whole = ranges.map(({ from, to }) => ({
    from: halfHourOf(from),
    to: halfHourOf(to - 1n) + HALF_HOUR,
  }));
  const earlier = (by: bigint) => whole.map(({ from, to }) => ({ from: from - by, to: to - by }));
  const days = DAYS_BEFORE.map((day) => earlier(day * DAY_MICROS));
  const halfHours = await readHalfHours(store, union(needsLevels ? whole : [], earlier(HALF_HOUR), ...days));
  const changes = changesOfScale(annotationsOf(store));
  return {
    halfHours,
    of(start) {
      const comparable = changes.findLast((change) => change <= start) ?? FIRST_MICROS;
      const days = DAYS_BEFORE.map((days) => start - days * DAY_MICROS).filter((day) => day >= comparable);
      const usual = medianOf(days.flatMap((day) => halfHours.get(day)?.l90_db ?? []));
      const before = halfHours.get(start - HALF_HOUR)?.l90_db;
      return before === undefined || (usual !== null && usual < before) ? usual : before;
    },
  };
}

/** @returns the mean of the middle two if their number is even, to 0.01 dB; null if there are none */
export function medianOf(levels: number[]): number | null {
  const sorted = levels.sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : Number(((low + high) / 2).toFixed(2));
}

async function readHalfHours(store: Store, ranges: readonly Range[]): Promise<Backgrounds['halfHours']> {
  const some = within(ranges, { from: FIRST_MICROS, to: LAST_MICROS });
  if (some.length === 0) return new Map();
  return answer(ofAllPoints(store), {
    ranges: some,
    usable: HALF_HOURS,
    isStored: true,
    select: selectLevels,
    async answer(rows: readonly HalfHourRow[], stored) {
      const found = rows.map(({ start, levels }) => ({ start, levels: countsFrom(FIRST_LEVEL, levels) }));
      for await (const some of stored.levels()) found.push(...some);
      return new Map(found.flatMap(halfHourFrom));
    },
  });
}

interface HalfHourRow {
  /** In seconds since 1970. */
  readonly start: number;
  /** In tenths of a dB. */
  readonly levels: GivenCounts;
}

function selectLevels({ raw }: Sources): SQL {
  const counted = unionOfPoints(
    raw,
    sql`${binned(sql`time`, 1800)} as start, ${LEVEL} as level, count(*) as point_count`,
    sql` and rms_db is not null group by 1, 2`,
  );
  return sql`select ${epochOf(sql`start`)} as start, json_build_array(array_agg(level), array_agg(point_count)) as levels
    from (${counted}) as counted group by counted.start`;
}

/** The figures of the half hours that stay in memory. */
const known = new WeakMap<Counts, HalfHour>();

function halfHourFrom({ start, levels }: { readonly start: number; readonly levels: Counts }) {
  const figures = known.get(levels) ?? figuresOfHalfHour(levels);
  if (!figures) return [];
  known.set(levels, figures);
  return [[BigInt(start) * 1_000_000n, figures] as const];
}

function figuresOfHalfHour(levels: Counts): HalfHour | undefined {
  const exceeded = exceededLevels(levels);
  const [l90_db, max_db] = [exceeded(90), exceeded(0)];
  return l90_db === null || max_db === null ? undefined : { l90_db, max_db, level_count: countIn(levels) };
}
