// Reads the levels of half hours: L90 of one is the background of the next.
import { type SQL, sql } from 'drizzle-orm';
import { FIRST_MICROS, floorTo, instantOfMicros, LAST_MICROS } from '../../contract/instant.ts';
import { type Counted, countIn, countsFrom, exceededLevels } from '../../statistics/figures.ts';
import { countsOf, FIRST_LEVEL } from '../../statistics/histogram.ts';
import { epochOf, NO_VERSIONS } from '../../store/counted-points.ts';
import { answerFrom, type UsableRollup } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/rollups-in-use.ts';
import { type Sources, scansOfRollup, timestamp } from '../../store/source-scans.ts';
import type { Range } from '../../timescale/internal-catalog.ts';

export const HALF_HOUR = 1_800_000_000n;
const ROLLUPS: readonly UsableRollup[] = [{ resolution: '30m', seconds: 1800, key: 'histogram' }];

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
  return answerFrom<HalfHours, HalfHourPart>(store, interval, {
    select: (sources) => levelsOf(sources, starts),
    usable: ROLLUPS,
    finish: ({ parts }) => new Map(parts.flatMap(halfHourFrom)),
  });
}

const later = (a: bigint, b: bigint) => (a > b ? a : b);

/** @returns the select that gives a `StatisticsRow` with the levels of each half hour, or of some of them */
function levelsOf({ raw, points, rollups }: Sources, starts?: readonly bigint[]): SQL {
  const some = starts && sql`array[${sql.join(starts.map(timestamp), sql`, `)}]`;
  const counted = (start: SQL, within: SQL) => sql`
    select ${start} as start, (rms_db::float8 * 10)::int as level, count(*) as point_count
    from ${points} where rms_db is not null and ${within} group by 1, 2`;
  const ofPoints = raw.map((scan) =>
    some
      ? sql`select counted.* from unnest(${some}) as half (start), lateral (${counted(
          sql`half.start`,
          sql`time >= half.start and time < half.start + interval '30 minutes' and ${scan}`,
        )}) as counted`
      : counted(sql`date_bin('30 minutes', time, '1970-01-01Z'::timestamptz)`, scan),
  );
  const among = some ? sql` where start = any(${some})` : sql``;
  const stored = rollups.flatMap((rollup) =>
    scansOfRollup(rollup, 'histogram', sql`bucket as start, null::json, levels::text`),
  );
  const parts = sql.join(
    [
      sql`select start, json_build_array(array_agg(level), array_agg(point_count)) as levels, null::text as stored
      from (${sql.join(ofPoints, sql` union all `)}) as counted group by start`,
      ...stored,
    ],
    sql` union all `,
  );
  return sql`
  select json_agg(json_build_object('start', ${epochOf(sql`start`)}, 'levels', levels, 'stored', stored)) as parts,
    ${NO_VERSIONS} as versions
  from (${parts}) as parts${among}`;
}

/** The levels of a half hour, counted from its points or as a rollup stores them. */
interface HalfHourPart {
  /** In seconds since 1970. */
  readonly start: number;
  readonly levels: Counted | null;
  readonly stored: string | null;
}

function halfHourFrom({ start, levels, stored }: HalfHourPart) {
  const counts = levels ? countsFrom(FIRST_LEVEL, levels) : countsOf(stored);
  const level_count = countIn(counts);
  const exceeded = exceededLevels(counts);
  const [l90_db, max_db] = [exceeded(90), exceeded(0)];
  if (l90_db === null || max_db === null) return [];
  return [[BigInt(start) * 1_000_000n, { l90_db, max_db, level_count }] as const];
}
