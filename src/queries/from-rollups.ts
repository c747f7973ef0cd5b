// Answers from rollups what is clean in them and from the points the rest: what the points say, leq_db to its
// last digits.
import { isDeepStrictEqual } from 'node:util';
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { microsOf } from '../contract/instant.ts';
import type { Database } from '../db/database.ts';
import { NotMigrated } from '../db/faults.ts';
import { compile } from '../db/statement.ts';
import { CleanRanges, cleanRanges, heldIn } from '../timescale/fresh-ranges.ts';
import type { Resolution } from '../timescale/rollups.ts';
import { type Sources, sourcesOf } from './algebra.ts';
import { type Piece, piecesOf, type Range } from './split-interval.ts';

/** Up to this length, in microseconds, the points themselves answer as fast. */
const SHORT = 3_600_000_000n;

/** A bucket of half an hour saves some milliseconds of scanning: above so many pieces, planning costs more. */
const MOST_PIECES = 200;

/** One fails where meanwhile a clean bucket changes, a refresh stores, or a chunk is made, moved or dropped. */
const ATTEMPTS = 3;

/** What was so in the state of the database that a statement saw. */
const State = z.tuple([z.object({ clean: CleanRanges, chunks: z.string().nullable() })]);

/**
 * Which buckets are clean must be known before the statement that reads them can be written. So it is asked
 * first, and then, by that statement itself, once more: one statement sees one state of the database. Where
 * the pieces would now be others the answer is thrown away.
 *
 * This is not one transaction with a snapshot of its own, because TimescaleDB moves the rows of a chunk into
 * its columnstore in a way that a snapshot from before it does not see: it would miss them.
 *
 * @param build gives the select that answers from given sources
 * @param usable the rollups that it can answer from
 * @returns the rows of the select
 */
export async function compose<Row>(
  db: Database,
  interval: { from: string; to: string },
  build: (sources: Sources) => SQL,
  usable: readonly Resolution[],
): Promise<Row[]> {
  const range = { from: microsOf(interval.from), to: microsOf(interval.to) };
  if (usable.length > 0 && range.to - range.from > SHORT && (await db.hasRollups())) {
    const rows = await fromRollups<Row>(db, range, build, usable).catch(unlessMissing);
    if (rows) return rows;
  }
  // of the points alone TimescaleDB itself must see what becomes of a chunk between plan and state
  return db.query<Row>(compile(build(sourcesOf([{ source: 'raw', ...range }]))));
}

/** @returns the rows, or undefined where no rollup is of use or the plan was out of date at every attempt */
async function fromRollups<Row>(
  db: Database,
  range: Range,
  build: (sources: Sources) => SQL,
  usable: readonly Resolution[],
): Promise<Row[] | undefined> {
  const plan = (answer: unknown) => {
    const [{ clean, chunks }] = State.parse(answer);
    const held = heldIn(clean).filter(({ resolution }) => usable.includes(resolution));
    return { pieces: piecesOf(range, held, MOST_PIECES), chunks };
  };
  let planned = plan(await db.query(stateAlone));
  for (let attempt = 0; attempt < ATTEMPTS && planned.pieces.some(isStored); attempt++) {
    const answer = await db.query<{ rows: Row[] }>(compile(withState(build(sourcesOf(planned.pieces)))));
    const now = plan(answer);
    if (isDeepStrictEqual(planned, now)) return answer.flatMap(({ rows }) => rows);
    planned = now;
  }
  return undefined;
}

/** A rollup may be dropped a moment after it was there: the points still answer. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof NotMigrated)) throw error;
}

/**
 * The rows of a select and, of the same state of the database, what its plan depends on: the ranges of clean
 * buckets, and which transaction last changed how each chunk is stored. TimescaleDB chooses when it plans
 * whether to look for a chunk's points in rows, in columns or in both, a moment before the state that it reads.
 * Where no chunk has changed from the state that was asked for first to that one, the choice was right.
 */
function withState(select: SQL): SQL {
  return sql`select
    (select coalesce(json_agg(answer), '[]') from (${select}) as answer) as rows,
    (select coalesce(json_agg(range), '[]') from (${cleanRanges}) as range) as clean,
    (select string_agg(id || ' ' || xmin, ',' order by id) from _timescaledb_catalog.chunk) as chunks`;
}

const stateAlone = compile(withState(sql`select where false`), 'rollup_state');

function isStored({ source }: Piece): boolean {
  return source !== 'raw';
}
