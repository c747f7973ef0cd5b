// Reads a consistent snapshot of all points, while recorders go on storing.
import { AFTER_LAST_INSTANT, FIRST_INSTANT, instantOf } from '../contract/instant.ts';
import { allChecks } from '../database/calibrations.ts';
import type { Database, RunStatement } from '../database/database.ts';
import { compile, parameter, queriesOf, sql } from '../database/drizzle.ts';
import { allExclusions } from '../database/exclusions.ts';
import { layoutAndRetention } from '../database/layout-and-retention.ts';
import { allPeriods } from '../database/periods.ts';
import { audioData, tables } from '../database/schema.ts';
import { readSettings } from '../database/station-schemas.ts';
import { linesFrom, pageStatements, startOf } from '../points/page.ts';
import { csvLines, csvPoint, selectInOrder } from '../points/points.ts';
import { type Backup, type Head, headOf, writeLines } from './backup-format.ts';
import { overloadRuns } from './minute-runs.ts';

/** The times that the format can hold. A table may also have points at `infinity` and beyond the year 9999. */
const IS_HELD = sql.raw(`time >= '${FIRST_INSTANT}' and time < '${AFTER_LAST_INSTANT}'`);
const MOST_NAMED = 20;
const LEFT_OUT = compile(sql<{ time: string; points: number }>`
  select time::text as time, sum(count(*)) over ()::float8 as points
  from ${tables.points} where not (${IS_HELD}) group by audio_data.time order by audio_data.time limit ${sql.raw(String(MOST_NAMED))}`);

const all = compile(selectInOrder(csvPoint('stored'), IS_HELD));

/** Reads only points of earlier transactions: a snapshot, as the embedded database runs one transaction at a time. */
const page = pageStatements(
  'backup_page',
  sql`${audioData.time} >= ${parameter('time')} and ${audioData}.xmin::text::bigint < ${parameter('before')}::bigint
    and ${IS_HELD}`,
  'oldest first',
);

const BEGIN = compile(sql<{ points: number; before: string }>`
  select count(*) as points, pg_snapshot_xmax(pg_current_snapshot())::text as before
  from ${tables.points} where ${IS_HELD}`);

const MAY_READ = compile(
  sql<{
    allowed: boolean;
  }>`select coalesce(has_table_privilege(to_regclass('${tables.refreshes}'), 'select'), false) as allowed`,
);

/** A backup of all points that are stored now. */
export async function backupOf(db: Database): Promise<Backup> {
  const head = headOf({
    made_at: instantOf(Date.now()),
    raw_retention: await retentionOf(db),
    periods: await allPeriods(db),
    overload: await overloadRuns(db),
    exclusions: (await allExclusions(db)).map(({ id: _, ...exclusion }) => exclusion),
    calibrations: await allChecks(db),
    station: await readSettings(db),
    left_out: await leftOut(db),
  });
  return { head, pieces: writeLines(head, db.run ? pages(db, db.run) : stream(db)) };
}

async function leftOut(db: Database): Promise<Head['left_out']> {
  const rows = await db.query(LEFT_OUT);
  const [first] = rows;
  return first && { points: first.points, times: rows.map(({ time }) => time) };
}

/** A single statement sees a consistent snapshot. */
function stream(db: Database): AsyncIterable<Buffer> {
  if (!db.copyOut) throw new Error('This database cannot stream');
  return db.copyOut(all, {});
}

/** @throws Error if a point was changed or removed before its page was read */
async function* pages(db: Database, run: RunStatement): AsyncGenerator<Buffer> {
  const [begin] = await queriesOf(run).query(BEGIN);
  if (!begin) throw new Error('The points could not be counted');
  let read = 0;
  for await (const { lines, count } of linesFrom(db, page, begin, startOf(FIRST_INSTANT), 0)) {
    read += count;
    yield Buffer.from(csvLines(lines), 'latin1');
  }
  if (read !== begin.points)
    throw new Error(
      `Points were changed or removed while the backup ran (${begin.points - read} of ${begin.points}): start it again`,
    );
}

/** @returns null if this role may not read the retention */
async function retentionOf(db: Database): Promise<string | null> {
  const { layout, raw_retention } = await layoutAndRetention(db);
  if (raw_retention !== null) return raw_retention;
  if (layout === 'hypertable') return null;
  const [right] = await db.query(MAY_READ);
  return right?.allowed ? 'off' : null;
}
