// Answers from rollups what is clean in them, and from the points the rest: exactly what the points say.
import { type SQL, sql } from 'drizzle-orm';
import { microsOf } from '../contract/instant.ts';
import type { Database } from '../db/database.ts';
import { compile } from '../db/statement.ts';
import { cleanRanges, readClean } from './clean-buckets.ts';
import { type Sources, sourcesOf } from './partials.ts';
import { type Piece, piecesOf, type Range } from './pieces.ts';

/** The longest interval, in microseconds, that its points answer as fast as anything else. */
const SHORT = 3_600_000_000n;

/** Each is enough unless points of the interval change just then, long after they were measured. */
const ATTEMPTS = 3;

const ranges = compile(cleanRanges);

/**
 * Which buckets are clean must be known before the statement that reads them can be written. So it is asked
 * first, and then, by that statement itself, once more: one statement sees one state of the database. Where
 * the pieces would now be others the answer is thrown away.
 *
 * This is not one transaction with a snapshot of its own, because TimescaleDB moves the rows of a chunk
 * into its columnstore in a way that a snapshot from before it does not see: it would miss them.
 *
 * @param build gives the select that answers from given sources
 * @returns its rows; undefined where the points themselves are to be read
 */
export async function compose<Row>(
  db: Database,
  interval: { from: string; to: string },
  build: (sources: Sources) => SQL,
): Promise<Row[] | undefined> {
  const range = { from: microsOf(interval.from), to: microsOf(interval.to) };
  if (range.to - range.from <= SHORT || !(await db.hasRollups())) return undefined;
  let pieces = piecesOf(range, readClean(await db.query(ranges)));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (pieces.every(({ source }) => source === 'raw')) return undefined;
    const answer = await db.query<{ rows: Row[]; clean: unknown }>(
      compile(withClean(build(sourcesOf(pieces)))),
    );
    const { rows, now } = readAnswer(answer, range);
    if (same(pieces, now)) return rows;
    pieces = now;
  }
  return undefined;
}

/** The rows of a select and, of the same state of the database, the ranges of clean buckets. */
export function withClean(select: SQL): SQL {
  return sql`select
    (select coalesce(json_agg(answer), '[]') from (${select}) as answer) as rows,
    (select coalesce(json_agg(range), '[]') from (${cleanRanges}) as range) as clean`;
}

function readAnswer<Row>([answer]: { rows: Row[]; clean: unknown }[], range: Range) {
  if (!answer) throw new Error('The composed statement gave no row');
  return { rows: answer.rows, now: piecesOf(range, readClean(answer.clean)) };
}

function same(a: readonly Piece[], b: readonly Piece[]): boolean {
  return (
    a.length === b.length && a.every(({ source, from }, n) => source === b[n]?.source && from === b[n]?.from)
  );
}
