// Writes the scans by which statistics read the points and each rollup.
import { instantOfMicros, type Range } from '../contract/instant.ts';
import { type SQL, type SQLWrapper, sql } from '../db/drizzle.ts';
import { type Resolution, ROLLUP_TABLES, type RollupKey } from '../db/rollups.ts';
import { audioData } from '../db/schema.ts';
import type { Piece } from './split-interval.ts';

/** A rollup that a query can read, and the length of its buckets. */
export interface UsableRollup {
  readonly resolution: Resolution;
  readonly seconds: number;
  readonly key: RollupKey;
  /** Whether its buckets come from memory (histogram-cache.ts), and not from the statement. */
  readonly isCached: boolean;
}

/** What a statement is to read of the points and of each rollup. */
export interface Sources {
  /** Conditions on `time`, one for each scan of the points. There is at least one. */
  readonly raw: readonly SQL[];
  /** Whether the points span at most two minutes: one scan kept aside is then cheaper than two. */
  readonly isFew: boolean;
  readonly rollups: readonly RollupSource[];
  /** Those whose buckets come from memory. */
  readonly cached: readonly RollupSource[];
}

export interface RollupSource extends UsableRollup {
  readonly pieces: readonly Range[];
  /** On `bucket`, one for each scan. */
  readonly conditions: readonly SQL[];
}

/**
 * The scans of all pieces, each of its source.
 *
 * @param isHypertable whether the points lie in chunks, for each of which a scan is planned
 */
export function sourcesOf(
  pieces: readonly Piece[],
  usable: readonly UsableRollup[],
  isHypertable: boolean,
): Sources {
  const ofPoints = pieces.filter(({ source }) => source === 'raw');
  const raw = conditionsOf(sql`${audioData.time}`, ofPoints, isHypertable ? DAY : TEN_MINUTES);
  const found = usable
    .map((rollup) => ({ ...rollup, pieces: pieces.filter(({ source }) => source === rollup.resolution) }))
    .map((rollup) => ({ ...rollup, conditions: conditionsOf(sql`bucket`, rollup.pieces, DAY) }))
    .filter(({ conditions }) => conditions.length > 0);
  return {
    raw: raw.length > 0 ? raw : [sql`false`],
    isFew: ofPoints.reduce((length, { from, to }) => length + to - from, 0n) <= TWO_MINUTES,
    rollups: found.filter(({ isCached }) => !isCached),
    cached: found.filter(({ isCached }) => isCached),
  };
}

const TWO_MINUTES = 120_000_000n;

const TEN_MINUTES = 600_000_000n;
const DAY = 86_400_000_000n;

/**
 * The ends of the whole come first: they rule out most chunks without checking each range.
 *
 * @param apart ranges further apart get scans of their own, in microseconds: a common scan of a table reads what lies
 *   between, and one of a hypertable is planned for every chunk between
 */
function conditionsOf(column: SQL, ranges: readonly Range[], apart: bigint): SQL[] {
  const scans: Range[][] = [];
  for (const range of ranges) {
    const end = scans.at(-1)?.at(-1)?.to;
    if (end !== undefined && range.from - end < apart) scans.at(-1)?.push(range);
    else scans.push([range]);
  }
  const inside = ({ from, to }: Range) =>
    sql`${column} >= ${timestamp(from)} and ${column} < ${timestamp(to)}`;
  return scans.map((ranges) => {
    const [first, last] = [ranges[0], ranges.at(-1)];
    if (!first || !last) return sql`false`;
    const whole = inside({ from: first.from, to: last.to });
    return ranges.length > 1 ? sql`${whole} and (${sql.join(ranges.map(inside), sql` or `)})` : whole;
  });
}

/** A value of the statement. */
export function timestamp(micros: bigint): SQL {
  return sql`${instantOfMicros(micros)}::timestamptz`;
}

/** `select ... from audio_data where ...` for each scan of the points, joined by `union all`. */
export function unionOfPoints(
  raw: readonly SQL[],
  select: SQL,
  rest: SQL = sql``,
  points: SQLWrapper = audioData,
): SQL {
  return unionAll(raw.map((scan) => sql`select ${select} from ${points} where ${scan}${rest}`));
}

export const unionAll = (selects: readonly SQL[]) => sql.join([...selects], sql` union all `);

/** `select ... from <rollup> where ...` for each scan of each rollup. */
export function selectsOf(rollups: readonly RollupSource[], select: SQL, rest: SQL = sql``): SQL[] {
  return rollups.flatMap(({ seconds, key, conditions }) => {
    const table = sql.identifier(ROLLUP_TABLES[key]);
    const length = sql.raw(String(seconds));
    return conditions.map(
      (scan) => sql`select ${select} from ${table} where seconds = ${length} and ${scan}${rest}`,
    );
  });
}
