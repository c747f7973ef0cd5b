// Reads the levels of half hours: the L90 of one is the background of the next.
import { FIRST_MICROS, floorTo, LAST_MICROS, type Range } from '../../contract/instant.ts';
import { union, within } from '../../contract/ranges.ts';
import { type SQL, sql } from '../../database/drizzle.ts';
import { LEVEL, rollupsOf } from '../../database/rollups.ts';
import { epochOf } from '../../database/statement-values.ts';
import { exceededLevels } from '../../rollups/figures.ts';
import { countIn, countsFrom, FIRST_LEVEL, type GivenCounts } from '../../rollups/histogram.ts';
import { answer } from '../../rollups/rollup-planner.ts';
import { type Sources, selectsOf, unionAll, unionOfPoints } from '../../rollups/source-scans.ts';
import { ofAllPoints, type Store } from '../../rollups/store.ts';
import { binned } from './buckets.ts';

export const HALF_HOUR = 1_800_000_000n;
const HALF_HOURS = rollupsOf('histogram').filter(({ seconds }) => seconds === 1800);

/** Levels to 0.1 dB. */
interface HalfHour {
  readonly l90_db: number;
  readonly max_db: number;
  /** The number of levels. */
  readonly level_count: number;
}

/** Half hours by their starts in microseconds since 1970, without half hours that have no level. */
export type HalfHours = ReadonlyMap<bigint, HalfHour>;

/** The start of the half hour that holds a time, in microseconds since 1970. */
export function halfHourOf(time: bigint): bigint {
  return floorTo(time, HALF_HOUR);
}

/** All half hours that touch a range. */
export function halfHoursWithin(store: Store, { from, to }: Range): Promise<HalfHours> {
  return halfHours(store, [{ from: halfHourOf(from), to: halfHourOf(to - 1n) + HALF_HOUR }]);
}

/** The half hours with the given starts. */
export function halfHoursAt(store: Store, starts: readonly bigint[]): Promise<HalfHours> {
  const all = starts.map((from) => ({ from, to: from + HALF_HOUR }));
  return halfHours(
    store,
    all.sort((a, b) => (a.from < b.from ? -1 : 1)),
  );
}

async function halfHours(store: Store, ranges: readonly Range[]): Promise<HalfHours> {
  const some = within(union(ranges), { from: FIRST_MICROS, to: LAST_MICROS });
  if (some.length === 0) return new Map();
  return answer(ofAllPoints(store), {
    ranges: some,
    usable: HALF_HOURS,
    select: selectLevels,
    answer: (rows: readonly HalfHourRow[]) => new Map(rows.flatMap(halfHourFrom)),
  });
}

interface HalfHourRow {
  /** In seconds since 1970. */
  readonly start: number;
  /** In tenths of a dB. */
  readonly levels: GivenCounts;
}

/** @returns the select of a {@link HalfHourRow} for each half hour */
function selectLevels({ raw, rollups }: Sources): SQL {
  const counted = unionOfPoints(
    raw,
    sql`${binned(sql`time`, 1800)} as start, ${LEVEL} as level, count(*) as point_count`,
    sql` and rms_db is not null group by 1, 2`,
  );
  const parts = [
    sql`select start, json_build_array(array_agg(level), array_agg(point_count)) as levels
      from (${counted}) as counted group by start`,
    ...selectsOf(rollups, sql`bucket, to_json(levels::text)`),
  ];
  return sql`select ${epochOf(sql`start`)} as start, levels from (${unionAll(parts)}) as parts`;
}

function halfHourFrom({ start, levels }: HalfHourRow) {
  const counts = countsFrom(FIRST_LEVEL, levels);
  const level_count = countIn(counts);
  const exceeded = exceededLevels(counts);
  const [l90_db, max_db] = [exceeded(90), exceeded(0)];
  if (l90_db === null || max_db === null) return [];
  return [[BigInt(start) * 1_000_000n, { l90_db, max_db, level_count }] as const];
}
