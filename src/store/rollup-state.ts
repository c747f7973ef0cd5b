// Reads which buckets of the rollups agree with the points, as the statement that asks sees them.
import type { Range } from '../contract/instant.ts';
import type { Database, Statement } from '../db/database.ts';
import { type SQL, sql } from '../db/drizzle.ts';

/**
 * What an answer from rollups depends on, as one statement saw it: audio_data_rollup_state(), which reads the logs of
 * TimescaleDB (drizzle/0003) or the notes of our triggers (drizzle/0004).
 *
 * On TimescaleDB a continuous aggregate is stored apart from its points and may lag behind them. TimescaleDB notes each
 * change of the points in the transaction that makes it, so that a refresh knows what to compute again. A bucket that
 * any of these notes touches is stale; all other stored ones are fresh:
 *
 * 1. Whoever inserts, updates, deletes, truncates or drops a chunk leaves the range in the log of the
 *    hypertable. (TimescaleDB notes only changes before a threshold, usually the end of the latest refresh;
 *    migrations put it into the year 2100.)
 * 2. A refresh moves these ranges to a log for each aggregate, and computes what of that log lies in its
 *    window. A new aggregate has one range from minus to plus infinity, which refreshes cut pieces out of.
 * 3. A range is removed in the transaction that stores its buckets. Where the refresh takes it from the log
 *    before, it is in a third table until then.
 *
 * One case leaves no note: buckets that retention dropped. So only what lies in an existing chunk of the
 * aggregate counts as stored, and nothing from before its retention, where a refresh by hand may bring back a part
 * of a chunk. (A chunk that was dropped by hand and comes back counts as stored altogether.)
 *
 * Times are microseconds since 1970, the ends of bigint standing for infinity; chunks are half open.
 */
export interface RollupState {
  /** For each rollup by its name, the ranges in which its stored buckets agree with the points. */
  readonly fresh: Readonly<Record<string, string>> | null;
  /**
   * Which transaction last changed how each chunk is stored: in rows, in columns, or in both. Null without TimescaleDB.
   *
   * TimescaleDB chooses when it plans whether to look for the points of a chunk in rows, in columns or in both, a
   * moment before the state that it reads. Where no chunk has changed from an earlier state to this one, the
   * choice was right.
   */
  readonly chunks: string | null;
}

/**
 * @param withFresh whether to read {@link RollupState.fresh}, which is null otherwise
 * @returns a select of the one row of `select` beside the {@link RollupState} of the same state
 */
export function withState(select: SQL, withFresh: boolean): SQL {
  return sql`select answer.*, state.*
    from (${select}) as answer, audio_data_rollup_state(${sql.raw(String(withFresh))}) as state`;
}

const state: Statement = {
  name: 'rollup_state',
  text: 'select * from audio_data_rollup_state($1)',
  parameters: ['with_fresh'],
};

export async function rollupState(db: Database, withFresh: boolean): Promise<RollupState> {
  const [found] = await db.query<RollupState>(state, { with_fresh: withFresh });
  if (!found) throw new Error('The function audio_data_rollup_state gave no row');
  return found;
}

/** @returns the ranges in which a rollup is fresh, in order; PostgreSQL writes them as `{[1,5),[8,9)}` */
export function freshRanges({ fresh }: RollupState, rollup: string): Range[] {
  const bounds = [...(fresh?.[rollup] ?? '').matchAll(/[[(](-?\d*),(-?\d*)\)/g)];
  return bounds.map(([, from, to]) => ({ from: BigInt(from || MIN_INT8), to: BigInt(to || MAX_INT8) }));
}

const [MIN_INT8, MAX_INT8] = ['-9223372036854775808', '9223372036854775807'];
