// The `backup` command: writes all points to a file that any later version can read, while the service keeps running.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Command } from 'commander';
import { BadInput, type CommandIo } from '../commands/input-files.ts';
import { createTicker, pointsText } from '../commands/progress.ts';
import { AFTER_LAST_INSTANT, FIRST_INSTANT, instantOf } from '../contract/instant.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { allChecks } from '../database/calibrations.ts';
import type { Database, RunStatement } from '../database/database.ts';
import { compile, parameter, queriesOf, sql } from '../database/drizzle.ts';
import { allExclusions } from '../database/exclusions.ts';
import { layoutAndRetention } from '../database/layout-and-retention.ts';
import { allPeriods } from '../database/periods.ts';
import { audioData, tables } from '../database/schema.ts';
import { listStations, readSettings } from '../database/station-schemas.ts';
import { linesFrom, pageStatements, startOf } from '../points/page.ts';
import { csvLines, csvPoint, type FilePiece, selectInOrder, wholeOf } from '../points/points.ts';
import { assertMayWrite, writeFile, writeTo } from './backup-file.ts';
import { type Backup, ENDING, type Head, headOf, leftOutText, writeLines } from './backup-format.ts';
import { historyLines, withoutRemoval } from './history-lines.ts';
import { overloadRuns } from './minute-runs.ts';

const ABOUT = `Writes all stored points to a file, while the service keeps running. It backs up the embedded database in \
DATA_DIR, or the server in DATABASE_URL. \`npm run restore\` loads the file into either kind of database, in this or any \
later version. Points that still wait in a recorder's spool are not included. Points at \`infinity\` or outside the years \
1 to 9999 are left out; the command then names them and exits with code 1.`;

export interface BackupIo extends Pick<CommandIo, 'progress' | 'signal'> {
  readonly station: string;
  at(station: string): BackupIo;
  /** The caller closes it. */
  open(): Promise<Database>;
  /** A line for the user about points that still wait in the spool; undefined if there are none. */
  waiting(): string | undefined;
  stdout: Writable;
}

export const backupCommand = (io: () => BackupIo): Command =>
  new Command('backup')
    .description(ABOUT)
    .argument('<FILE>', 'the file to write, or - for standard output')
    .option('--force', 'replace an existing file')
    .option(
      '--all',
      'back up all stations: FILE is a folder that gets one file per station, such as garden.backup',
    )
    .action((path: string, { force = false, all = false }: { force?: boolean; all?: boolean }) =>
      (all ? backupAll : backup)(path, force, io()),
    );

async function backupAll(folder: string, force: boolean, io: BackupIo): Promise<void> {
  if (folder === '-') throw new BadInput('--all writes to a folder, not to standard output');
  if (io.station !== DEFAULT_STATION) throw new BadInput('--all: not allowed with --station');
  const db = await io.open();
  const others = await listStations(db).finally(() => db.close());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of [DEFAULT_STATION, ...others.map(({ name }) => name)])
    await backup(join(folder, `${name}${ENDING}`), force, io.at(name), true);
}

/** @param isOfAll whether all stations are being backed up */
export async function backup(path: string, force: boolean, io: BackupIo, isOfAll = false): Promise<void> {
  const { signal } = io;
  if (path !== '-') assertMayWrite(path, force);
  const tick = createTicker(io.progress);
  let count = 0;

  async function* shown(pieces: AsyncIterable<FilePiece>): AsyncGenerator<Buffer> {
    for await (const { bytes, points } of pieces) {
      count += points;
      tick(() => pointsText({ count }));
      yield bytes;
    }
  }

  const db = await io.open();
  let leftOut: Head['left_out'];
  let others: readonly { readonly name: string }[] = [];
  try {
    if (io.station === DEFAULT_STATION && !isOfAll) others = await listStations(db);
    await withoutRemoval(db, async () => {
      const { head, pieces } = await backupOf(db);
      leftOut = head.left_out;
      const lines = shown(pieces);
      if (path === '-') await writeTo(io.stdout, lines, signal);
      else await writeFile(path, lines, force, signal);
    });
  } catch (error) {
    throw signal.aborted ? new BadInput('Interrupted: no backup was written') : error;
  } finally {
    await db.close();
  }
  io.progress(`Wrote ${pointsText({ count })} to ${path === '-' ? 'standard output' : path}.`);
  if (others.length > 0)
    io.progress(`Not included: ${others.map(({ name }) => name).join(', ')}. --all backs up all stations.`);
  const waiting = io.waiting();
  if (waiting !== undefined) io.progress(waiting);
  if (leftOut)
    throw new BadInput(
      `Left out ${leftOutText(leftOut)}: a backup holds the years 1 to 9999. Correct or delete these points`,
    );
}

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

const ANY_HISTORY = compile(sql<{ found: boolean }>`select exists (select from ${tables.history}) as found`);

export async function backupOf(db: Database): Promise<Backup> {
  const [history] = await db.query(ANY_HISTORY);
  const about = {
    made_at: instantOf(Date.now()),
    ...(await retentionsOf(db)),
    periods: await allPeriods(db),
    overload: await overloadRuns(db),
    exclusions: (await allExclusions(db)).map(({ id: _, ...exclusion }) => exclusion),
    calibrations: await allChecks(db),
    station: await readSettings(db),
    left_out: await leftOut(db),
  };
  const head = headOf(about, history?.found);
  return { head, pieces: writeLines(head, db.run ? pages(db, db.run) : stream(db), historyLines(db)) };
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
  const values = { ...begin, ...wholeOf({ from: null, to: null }) };
  for await (const { lines, count } of linesFrom(db, page, values, startOf(FIRST_INSTANT), 0)) {
    read += count;
    yield Buffer.from(csvLines(lines), 'latin1');
  }
  if (read !== begin.points)
    throw new Error(
      `Points were changed or removed while the backup ran (${begin.points - read} of ${begin.points}): start it again`,
    );
}

/** Null if this role may not read the retention. */
async function retentionsOf(db: Database) {
  const { layout, raw_retention, history_retention } = await layoutAndRetention(db);
  const [right] = await db.query(MAY_READ);
  const unlimited = right?.allowed ? 'off' : null;
  return {
    raw_retention: raw_retention ?? (layout === 'hypertable' ? null : unlimited),
    history_retention: history_retention ?? unlimited,
  };
}
