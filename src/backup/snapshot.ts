// Reads the points of a database as they were at one moment, each once, while others are stored.
import { FIRST_INSTANT, instantOf } from '../contract/instant.ts';
import { CSV_TYPE } from '../contract/media-types.ts';
import type { Period } from '../contract/periods.ts';
import { compile, parameter } from '../db/compile.ts';
import type { Database, Run } from '../db/database.ts';
import { sql } from '../db/drizzle.ts';
import { layoutAndRetention } from '../db/layout-and-retention.ts';
import { ALL_PERIODS } from '../db/periods.ts';
import { audioData } from '../db/schema.ts';
import { linesFrom, pageStatements, startOf } from '../points/page.ts';
import { selectInOrder } from '../points/points.ts';
import { writeLines } from './backup-format.ts';

const all = compile(selectInOrder(CSV_TYPE));

/** Those of the transactions before one: transactions of the embedded database run one after the other. */
const page = pageStatements(
  'backup_page',
  sql`${audioData.time} >= ${parameter('time')} and ${audioData}.xmin::text::bigint < ${parameter('before')}::bigint`,
  'oldest first',
);

const TOLD = `select coalesce(has_table_privilege(to_regclass('audio_data_refreshes'), 'select'), false) as told`;

/** The lines of a backup of all points that are stored now. */
export async function* backupOf(db: Database): AsyncGenerator<Buffer> {
  const about = {
    made_at: instantOf(Date.now()),
    raw_retention: await retentionOf(db),
    periods: await db.query<Period>(ALL_PERIODS),
  };
  yield* writeLines(about, db.run ? pages(db, db.run) : stream(db));
}

/** One statement sees one moment. */
function stream(db: Database): AsyncIterable<Buffer> {
  if (!db.copyOut) throw new Error('This database cannot stream');
  return db.copyOut(all, {});
}

/** @throws Error where a point was changed or removed before it was read: its page no longer has it */
async function* pages(db: Database, run: Run): AsyncGenerator<Buffer> {
  const [begin] = await run<{ points: number; before: string }>(
    'select count(*) as points, pg_snapshot_xmax(pg_current_snapshot())::text as before from audio_data',
    [],
  );
  if (!begin) throw new Error('The points could not be counted');
  let read = 0;
  for await (const { lines, count } of linesFrom(db, page, begin, startOf(FIRST_INSTANT), CSV_TYPE)) {
    read += count;
    yield Buffer.from(lines, 'latin1');
  }
  if (read !== begin.points)
    throw new Error(
      `${begin.points - read} of the points that were there when the backup began were changed or removed meanwhile: start it again`,
    );
}

/** @returns null where it cannot be read */
async function retentionOf(db: Database): Promise<string | null> {
  const { layout, raw_retention } = await layoutAndRetention(db);
  if (raw_retention !== null) return raw_retention;
  if (layout === 'hypertable') return null;
  const [right] = await db.query<{ told: boolean }>({ text: TOLD, parameters: [] });
  return right?.told ? 'off' : null;
}
