// Writes the scans by which statistics read the points and each rollup.
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { instantOfMicros } from '../contract/instant.ts';
import { RESOLUTIONS, type Resolution, type RollupKey, rollupName } from '../db/rollups.ts';
import { audioData } from '../db/schema.ts';
import type { Range } from '../timescale/internal-catalog.ts';
import type { Piece } from './split-interval.ts';

/** What to read of the points and of each rollup: conditions on `time` and on `bucket`, one for each scan. */
export interface Sources {
  readonly raw: readonly SQL[];
  /** The relation that holds the points. */
  readonly points: SQLWrapper;
  /** Whether one short range of points is all there is to read. */
  readonly isShort: boolean;
  readonly rollups: readonly RollupSource[];
  /** The schema of TimescaleDB's functions; undefined where the rollups are not TimescaleDB's. */
  readonly schema: string | undefined;
}

export interface RollupSource {
  readonly resolution: Resolution;
  readonly seconds: number;
  readonly pieces: readonly Range[];
  readonly scans: readonly SQL[];
}

/** Whether the points of a range answer as fast as rollups: up to ten minutes they do. */
export function isShort({ from, to }: Range): boolean {
  return to - from <= 600_000_000n;
}

/**
 * The scans of all pieces, each of its source.
 *
 * @param schema the schema of TimescaleDB's functions; needed if a source is a rollup of its
 */
export function sourcesOf(pieces: readonly Piece[], schema?: string): Sources {
  const raw = scansOf(sql`${audioData.time}`, pieces, 'raw');
  return {
    schema,
    raw: raw.length > 0 ? raw : [sql`false`],
    points: audioData,
    isShort: pieces.length === 1 && pieces.every(isShort),
    rollups: RESOLUTIONS.map(({ name: resolution, seconds }) => ({
      resolution,
      seconds,
      pieces: pieces.filter(({ source }) => source === resolution),
      scans: scansOf(sql`bucket`, pieces, resolution),
    })).filter(({ scans }) => scans.length > 0),
  };
}

/** Ranges further apart than this get scans of their own: a common one would be planned for every chunk between. */
const APART = 86_400_000_000n;

/**
 * Writes constants: by them the planner leaves out chunks and uses vectorised aggregation, also when they become
 * parameters of a custom plan. The ends of the whole come first: they rule out most chunks without checking each.
 */
function scansOf(column: SQL, pieces: readonly Piece[], source: Piece['source']): SQL[] {
  const scans: Range[][] = [];
  for (const range of pieces) {
    if (range.source !== source) continue;
    const end = scans.at(-1)?.at(-1)?.to;
    if (end !== undefined && range.from - end < APART) scans.at(-1)?.push(range);
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

/** A constant. Safe as raw SQL: a canonical instant holds only digits and `T:.-Z`. */
export function timestamp(micros: bigint): SQL {
  return sql.raw(`'${instantOfMicros(micros)}'::timestamptz`);
}

/** `select ... from audio_data where ...` for each scan of the points, joined by `union all`. There is at least one. */
export function unionOfPoints(
  { raw, points }: Pick<Sources, 'raw' | 'points'>,
  select: SQL,
  rest: SQL = sql``,
): SQL {
  const selects = raw.map((scan) => sql`select ${select} from ${points} where ${scan}${rest}`);
  return sql.join(selects, sql` union all `);
}

/** `select ... from <rollup> where ...` for each scan of a rollup. */
export function scansOfRollup(
  { resolution, scans }: RollupSource,
  key: RollupKey,
  select: SQL,
  rest: SQL = sql``,
): SQL[] {
  const name = sql.identifier(rollupName(key, resolution));
  return scans.map((scan) => sql`select ${select} from ${name} where ${scan}${rest}`);
}
