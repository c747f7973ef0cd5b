// Finds the points of an interval, and stores others there: where none are, or in place of them.

import { compile, parameter } from '../db/compile.ts';
import type { Database, Run } from '../db/database.ts';
import { sql } from '../db/drizzle.ts';
import { instantText } from '../db/statement-values.ts';
import type { PointCount } from './progress.ts';

/** Both ends are in it, canonical. */
export interface PointInterval {
  readonly first: string;
  readonly last: string;
}

const within = sql`time >= ${parameter('first')}::timestamptz and time <= ${parameter('last')}::timestamptz`;
const FIND = compile(sql`
  select count(*)::float8 as count, ${instantText(sql`min(time)`)} as first, ${instantText(sql`max(time)`)} as last
  from audio_data where ${within}`).text;
const REMOVE = compile(sql`delete from audio_data where ${within}`).text;
/** Two who store there at once do not both find it empty. */
const LOCK = 'select pg_advisory_xact_lock(7281104226)';
/** TimescaleDB lets a statement change 100,000 points of its columnstore at most unless told. */
const WITHOUT_LIMIT = `select set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true)`;

/** There are points where some were to be stored; none was. */
export class PointsFound extends Error {
  readonly found: PointCount;

  constructor(found: PointCount) {
    super(`${found.count} points are there`);
    this.name = 'PointsFound';
    this.found = found;
  }
}

interface Found {
  count: number;
  first: string | null;
  last: string | null;
}

async function find(run: Run, { first, last }: PointInterval): Promise<PointCount> {
  const [found] = await run<Found>(FIND, [first, last]);
  return {
    count: found?.count ?? 0,
    ...(found?.first && { first: found.first }),
    ...(found?.last && { last: found.last }),
  };
}

/** However long it takes. */
export function findPoints(db: Database, interval: PointInterval): Promise<PointCount> {
  return db.transaction(({ run }) => find(run, interval));
}

/** Whether a transaction is to take place. What can be asked again says so once. */
export type Guard = (run: Run) => Promise<boolean>;

/** No rows. */
export async function* nothing(): AsyncGenerator<string> {}

/**
 * Stores points in one transaction, all of them, or none where there are some from their first to their last.
 *
 * It looks for these when the first rows are read, as a file that is stored twice is mostly found by them, and again
 * when all are stored.
 *
 * @param read counts the rows as they are read
 * @param after does more in the transaction, when they are stored
 * @returns false where the guard let nothing be stored
 * @throws PointsFound where there are some
 */
export async function storeNew(
  db: Database,
  csv: AsyncIterable<string>,
  read: PointCount,
  guard?: Guard,
  after?: (run: Run) => Promise<void>,
): Promise<boolean> {
  const rows = csv[Symbol.asyncIterator]();
  const rest: AsyncIterable<string> = { [Symbol.asyncIterator]: () => rows };
  const head = await rows.next();
  async function* all() {
    if (!head.done) yield head.value;
    yield* rest;
  }
  async function assertNone(run: Run, ours: number) {
    const { first, last } = read;
    if (first === undefined || last === undefined) return;
    const found = await find(run, { first, last });
    if (found.count > ours) throw new PointsFound(found);
  }
  try {
    return await db.transaction(
      async ({ run, copy }) => {
        if (guard && !(await guard(run))) return false;
        await run(LOCK, []);
        await assertNone(run, 0);
        await copy(all());
        await assertNone(run, read.count);
        await after?.(run);
        return true;
      },
      { isRepeatable: guard !== undefined },
    );
  } catch (error) {
    if (!(error instanceof PointsFound)) throw error;
    for await (const _rows of rest); // so that all of its time is told
    const { first = '', last = '' } = read;
    throw new PointsFound(await findPoints(db, { first, last }));
  } finally {
    await rows.return?.();
  }
}

/**
 * Stores points in place of those that are there, in one transaction.
 *
 * @param csv rows, all of them in the interval; none only removes
 * @returns the points that were there; undefined where the guard let nothing be stored
 */
export function replacePoints(
  db: Database,
  csv: AsyncIterable<string>,
  interval: PointInterval,
  guard?: Guard,
): Promise<PointCount | undefined> {
  return db.transaction(
    async ({ run, copy }) => {
      if (guard && !(await guard(run))) return undefined;
      await run(LOCK, []);
      const found = await find(run, interval);
      if (found.count > 0) {
        await run(WITHOUT_LIMIT, []);
        await run(REMOVE, [interval.first, interval.last]);
      }
      await copy(csv);
      return found;
    },
    { purpose: 'replace', isRepeatable: guard !== undefined },
  );
}
