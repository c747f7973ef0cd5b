// Runs ANALYZE for the planner of the embedded database, which has no autovacuum.
import type { RunStatement } from '../database.ts';
import { compile, sql } from '../drizzle.ts';
import { tables } from '../schema.ts';

/** The points, and the minutes in which queries look for loud points. Histograms would take ten times as long. */
export const ANALYSE = compile(sql`analyze ${tables.points}, ${tables.totals}`).text;

/** Whether a table was never analysed, or has doubled in size since. */
const HAVE_GROWN = compile(sql`
  select coalesce(bool_or(size > 2 * relpages::bigint * current_setting('block_size')::int or not exists (
    select from pg_statistic where starelid = pg_class.oid)), false) as grown
  from pg_class, pg_relation_size(pg_class.oid) as size
  where size > 0 and pg_class.oid in ('${tables.points}'::regclass, '${tables.totals}'::regclass)`).text;

/** Without statistics, a search for rare loud points in a month reads every point. */
export async function analyseGrownTables(run: RunStatement): Promise<void> {
  const [found] = await run<{ grown: boolean }>(HAVE_GROWN, []);
  if (found?.grown) await run(ANALYSE, []);
}
