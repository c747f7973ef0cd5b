// Answers from rollups where their buckets are fresh, and from the points elsewhere. The answer is what all the
// points give, the last digits of leq_db aside.
import { isDeepStrictEqual } from 'node:util';
import { type SQL, sql } from 'drizzle-orm';
import { microsOf } from '../contract/instant.ts';
import { compile } from '../db/compile.ts';
import type { Statement } from '../db/database.ts';
import { NotMigrated } from '../db/faults.ts';
import { type Range, readState, withState } from '../timescale/internal-catalog.ts';
import type { Resolution } from '../timescale/rollups.ts';
import type { Store } from '../timescale/rollups-in-use.ts';
import { type Sources, sourcesOf } from './algebra.ts';
import { splitInterval } from './split-interval.ts';

/** Up to this length, in microseconds, the points answer as fast. */
const SHORT = 3_600_000_000n;

/** A bucket of half an hour saves milliseconds of scanning. With more pieces than this, planning costs more. */
const MOST_PIECES = 200;

/** An attempt fails where a bucket turns stale meanwhile, a refresh stores, or a chunk is made, moved or dropped. */
const ATTEMPTS = 3;

const stateAlone = compile(withState(sql`select where false`), 'rollup_state');

/**
 * Runs a select of statistics on the cheapest sources that give the exact answer.
 *
 * Which buckets are fresh must be known before the statement can be written. So that is asked first. The statement
 * asks it once more, because one statement sees one state of the database. Where the pieces would now be others,
 * the answer is thrown away.
 *
 * A snapshot for both would not do: it misses the rows that TimescaleDB has moved to its columnstore since.
 *
 * @param build gives the select that answers from given sources
 * @param usable the rollups that it can answer from
 * @returns the rows of the select
 */
export async function answerFrom<Row>(
  { db, rollups }: Store,
  interval: { from: string; to: string },
  build: (sources: Sources) => SQL,
  usable: readonly Resolution[],
): Promise<Row[]> {
  const range = { from: microsOf(interval.from), to: microsOf(interval.to) };
  if (usable.length > 0 && range.to - range.from > SHORT && (await rollups.inUse())) {
    const rows = await composed<Row>(db, range, build, usable).catch(unlessMissing);
    if (rows) return rows;
  }
  // here TimescaleDB itself must see to chunks that change between its plan and the state that it reads
  return db.query<Row>(labelled(build(sourcesOf([{ source: 'raw', ...range }]))));
}

/** @returns the rows; undefined where no rollup is of use, or the plan was outdated at every attempt */
async function composed<Row>(
  db: Store['db'],
  range: Range,
  build: (sources: Sources) => SQL,
  usable: readonly Resolution[],
): Promise<Row[] | undefined> {
  const plan = ([row]: readonly unknown[]) => {
    const { fresh, chunks } = readState(row);
    const held = fresh.filter(({ resolution }) => usable.includes(resolution));
    return { pieces: splitInterval(range, held, MOST_PIECES), chunks };
  };
  let planned = plan(await db.query(stateAlone));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (planned.pieces.every(({ source }) => source === 'raw')) return undefined;
    const answer = await db.query<{ rows: Row[] }>(labelled(withState(build(sourcesOf(planned.pieces)))));
    const now = plan(answer);
    if (isDeepStrictEqual(planned, now)) return answer.flatMap(({ rows }) => rows);
    planned = now;
  }
  return undefined;
}

/** Made for one question: a name would keep it in the server. */
function labelled(query: SQL): Statement {
  return { ...compile(query), label: 'statistics' };
}

/** Somebody may drop a rollup meanwhile: the points still answer. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof NotMigrated)) throw error;
}
