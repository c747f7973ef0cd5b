// Finds the points of an interval, and stores others there: where none are, or in place of them.

import { compile, parameter } from '../db/compile.ts';
import type { Before, Database, Guard, Run } from '../db/database.ts';
import { sql } from '../db/drizzle.ts';
import { instantText } from '../db/statement-values.ts';
import type { PointCount } from './progress.ts';

/** Both ends are in it, canonical. */
export interface PointInterval {
  readonly first: string;
  readonly last: string;
}

export interface StoredInterval extends PointInterval {
  /** `new` where no points may be there, `replace` to remove these before. */
  readonly mode: 'new' | 'replace';
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

const countOf = ([found]: readonly Found[]): PointCount => ({
  count: found?.count ?? 0,
  ...(found?.first && { first: found.first }),
  ...(found?.last && { last: found.last }),
});

/** However long it takes: no query, as that of a service, but the beginning of a COPY of nothing. */
export async function findPoints(db: Database, { first, last }: PointInterval): Promise<PointCount> {
  let found: PointCount = { count: 0 };
  async function work(run: Run) {
    found = countOf(await run<Found>(FIND, [first, last]));
  }
  await db.copyIn(nothing(), undefined, undefined, { removes: false, work });
  return found;
}

/** No rows. */
export async function* nothing(): AsyncGenerator<string> {}

/**
 * Stores points, all or none, in one transaction.
 *
 * @param csv rows, all of them in the interval
 * @returns the points that were there; undefined where the guard let nothing be stored
 * @throws PointsFound where there are some that may not be
 */
export async function storeInterval(
  db: Database,
  csv: AsyncIterable<string>,
  { mode, first, last }: StoredInterval,
  guard?: Guard,
): Promise<PointCount | undefined> {
  let found: PointCount | undefined;
  const before: Before = {
    removes: mode === 'replace',
    async work(run: Run) {
      await run(LOCK, []);
      found = countOf(await run<Found>(FIND, [first, last]));
      if (found.count === 0) return;
      if (mode === 'new') throw new PointsFound(found);
      await run(WITHOUT_LIMIT, []);
      await run(REMOVE, [first, last]);
    },
  };
  await db.copyIn(csv, guard, undefined, before);
  return found;
}
