// Reads the levels of half hours: L90 of one is the background of the next.
import { FIRST_MICROS, floorTo, instantOfMicros, LAST_MICROS, type Range } from '../../contract/instant.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { exceededLevels } from '../../statistics/figures.ts';
import { countIn, FIRST_LEVEL } from '../../statistics/histogram.ts';
import { binned, epochOf } from '../../store/bucket-times.ts';
import { countsFrom, type GivenCounts, LEVEL } from '../../store/counted-points.ts';
import { readParts, usableRollups } from '../../store/rollup-planner.ts';
import { type Sources, selectsOf, unionAll, unionOfPoints } from '../../store/source-scans.ts';
import type { Store } from '../../store/store.ts';

export const HALF_HOUR = 1_800_000_000n;
const HALF_HOURS = usableRollups('histogram').filter(({ seconds }) => seconds === 1800);

/** Levels to 0.1 dB. */
interface HalfHour {
  readonly l90_db: number;
  readonly max_db: number;
  /** How many levels it has. */
  readonly level_count: number;
}

/** Half hours by their starts in microseconds since 1970, without those that have no level. */
export type HalfHours = ReadonlyMap<bigint, HalfHour>;

/** The start of the half hour that holds a time, in microseconds since 1970. */
export function halfHourOf(time: bigint): bigint {
  return floorTo(time, HALF_HOUR);
}

/** All half hours that touch a range. */
export function halfHoursWithin(store: Store, { from, to }: Range): Promise<HalfHours> {
  return halfHours(store, { from: halfHourOf(from), to: halfHourOf(to - 1n) + HALF_HOUR });
}

/** The half hours with the given starts. */
export async function halfHoursAt(store: Store, starts: readonly bigint[]): Promise<HalfHours> {
  const some = [...new Set(starts)].filter((start) => start >= FIRST_MICROS).sort((a, b) => (a < b ? -1 : 1));
  const [first, last] = [some[0], some.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  return halfHours(store, { from: first, to: last + HALF_HOUR }, some);
}

async function halfHours(store: Store, range: Range, starts?: readonly bigint[]): Promise<HalfHours> {
  const [from, to] = [later(range.from, FIRST_MICROS), -later(-range.to, -LAST_MICROS)];
  if (from >= to) return new Map();
  const interval = { from: instantOfMicros(from), to: instantOfMicros(to) };
  const { rows } = await readParts<HalfHourRow>(store, interval, {
    select: (sources) => selectLevels(sources, starts),
    usable: HALF_HOURS,
  });
  return new Map(rows.flatMap(halfHourFrom));
}

const later = (a: bigint, b: bigint) => (a > b ? a : b);

interface HalfHourRow {
  /** In seconds since 1970. */
  readonly start: number;
  /** In tenths of a dB. */
  readonly levels: GivenCounts;
}

/** @returns the select of a {@link HalfHourRow} for each half hour, or for some of them */
function selectLevels({ raw, rollups }: Sources, starts?: readonly bigint[]): SQL {
  const some = starts && sql`${`{${starts.map(instantOfMicros).join()}}`}::timestamptz[]`;
  const counted = (start: SQL, scan: SQL) =>
    unionOfPoints(
      [sql`rms_db is not null and ${scan}`],
      sql`${start} as start, ${LEVEL} as level, count(*) as point_count`,
      sql` group by 1, 2`,
    );
  const ofPoints = raw.map((scan) =>
    some
      ? sql`select counted.* from unnest(${some}) as half (start), lateral (${counted(
          sql`half.start`,
          sql`time >= half.start and time < half.start + interval '30 minutes' and ${scan}`,
        )}) as counted`
      : counted(binned(sql`time`, 1800), scan),
  );
  const stored = selectsOf(rollups, sql`bucket, to_json(levels::text)`);
  const parts = [
    sql`select start, json_build_array(array_agg(level), array_agg(point_count)) as levels
      from (${unionAll(ofPoints)}) as counted group by start`,
    ...stored,
  ];
  return sql`
  select ${epochOf(sql`start`)} as start, levels from (${unionAll(parts)}) as parts
  ${some ? sql`where start = any(${some})` : sql``}`;
}

function halfHourFrom({ start, levels }: HalfHourRow) {
  const counts = countsFrom(FIRST_LEVEL, levels);
  const level_count = countIn(counts);
  const exceeded = exceededLevels(counts);
  const [l90_db, max_db] = [exceeded(90), exceeded(0)];
  if (l90_db === null || max_db === null) return [];
  return [[BigInt(start) * 1_000_000n, { l90_db, max_db, level_count }] as const];
}
