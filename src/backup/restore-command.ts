// The `restore` command: stores the points of a backup in an empty database.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import {
  BadInput,
  type CommandIo,
  interrupted,
  openInput,
  type RereadableFile,
  readableTwice,
} from '../commands/input-files.ts';
import { createTicker, percent, pointsText } from '../commands/progress.ts';
import { COLUMNS } from '../contract/point.ts';
import { DEFAULT_STATION, isAnyStation, measurementOf, STATION_NAME_RULE } from '../contract/station.ts';
import { type Database, NO_LOG } from '../database/database.ts';
import { compile, parameter, sql } from '../database/drizzle.ts';
import { type StationSettings, setStation } from '../database/station-schemas.ts';
import { setHistoryRetention, setRawRetention } from '../rollups/raw-retention.ts';
import { runOn } from '../rollups/refresh-rollups.ts';
import { backupLines } from './backup-file.ts';
import { type Backup, ENDING, leftOutText, readLines } from './backup-format.ts';
import { withoutRemoval } from './history-lines.ts';
import { createRestoring } from './restoring.ts';

const ABOUT = `Loads a file from \`npm run backup\` into a database without points: the embedded database in DATA_DIR, \
even while the service runs, or the server in DATABASE_URL. On a server it acts as the owner of the tables \
(MIGRATION_DATABASE_URL, if set). It checks the whole file first. It then stores 50,000 points at a time, oldest first; \
after an interruption, run the same command again to continue. RAW_RETENTION sets how long points are kept; by default as \
long as the backed-up database kept them.`;

export interface RestoreIo extends CommandIo {
  readonly station: string;
  at(station: string): RestoreIo;
  /** The database in messages, such as `The folder ./data`. */
  readonly name: string;
  open(): Promise<Database>;
  /** @throws when the signal aborts, if the work can be interrupted */
  storeRollups(db: Database, signal: AbortSignal): Promise<void>;
  /** @returns the set variables that win over these settings of the station */
  hiding(settings: StationSettings): string[];
  /** RAW_RETENTION; undefined if it is not set. */
  retention: string | undefined;
}

export const restoreCommand = (io: () => RestoreIo): Command =>
  new Command('restore')
    .description(ABOUT)
    .argument('<FILE>', 'the file that `npm run backup` wrote, or - for standard input')
    .option('--all', 'restore all stations: FILE is the folder that `backup --all` wrote')
    .action((path: string, { all = false }: { all?: boolean }) => (all ? restoreAll : restore)(path, io()));

/** @throws BadInput at the end if a station was not restored, such as one that already has points */
async function restoreAll(folder: string, io: RestoreIo): Promise<void> {
  if (io.station !== DEFAULT_STATION) throw new BadInput('--all: not allowed with --station');
  const files = (await readdir(folder)).filter((name) => name.endsWith(ENDING)).sort();
  if (files.length === 0) throw new BadInput(`The folder ${folder} holds no backup`);
  let refused = 0;
  for (const file of files) {
    const name = file.slice(0, -ENDING.length);
    if (!isAnyStation(name)) throw new BadInput(`${file}: the name of a station ${STATION_NAME_RULE}`);
    await restore(join(folder, file), io.at(name)).catch((error) => {
      if (!(error instanceof BadInput) || io.signal.aborted) throw error;
      refused += 1;
      io.progress(error.message);
    });
  }
  if (refused > 0) throw new BadInput(`${refused} of ${files.length} stations were not restored`);
}

export async function restore(path: string, io: RestoreIo): Promise<void> {
  await using file = await readableTwice(path, io);
  let oldest: string | undefined;
  let total = 0;
  const tickChecked = createTicker(io.progress);
  const checked = await openBackup(file, io, (points) => {
    total += points;
    tickChecked(() => `${pointsText({ count: total })} checked`);
  });
  for await (const row of rowsOf(checked, io)) oldest ??= row.slice(0, row.indexOf(','));
  const backup = await openBackup(file, io);
  const { station } = backup.head;
  const db = await io.open();
  try {
    const restoring = await createRestoring(db, io.name, backup.head);
    if (station) {
      // clears the fields that the backup lacks
      const settings = { ...station, measurement: measurementOf(station.measurement) };
      await db.transaction((transaction) => setStation(transaction, settings));
      const hiding = io.hiding(settings);
      if (hiding.length > 0)
        io.progress(
          `The settings are restored. A service that has ${hiding.join(' or ')} uses that variable instead.`,
        );
    }
    await setRawRetention(runOn(db), await retentionFor(backup, oldest, db, io), NO_LOG);
    await setHistoryRetention(runOn(db), backup.head.history_retention ?? undefined);
    const tickStored = createTicker(io.progress);
    const rows = rowsOf(backup, io, restoring.addHistory);
    const stored = await withoutRemoval(db, () =>
      restoring.store(rows, io.progress, (count) =>
        tickStored(() => `${percent(count, total)}, ${pointsText({ count })} stored`),
      ),
    );
    io.progress('All points are stored. Building the rollups.');
    await io.storeRollups(db, io.signal).catch((error) => {
      if (!io.signal.aborted) throw error;
      io.progress('Interrupted: the service will build the rollups.');
    });
    await restoring.end();
    const { left_out: leftOut } = backup.head;
    if (leftOut) io.progress(`The backup left out ${leftOutText(leftOut)}.`);
    io.progress(`Stored ${pointsText({ count: stored })}.`);
  } finally {
    await db.close();
  }
}

/** @param onRead gets the number of points of each piece */
async function openBackup(
  { path, name }: RereadableFile,
  { signal }: RestoreIo,
  onRead: (points: number) => void = () => {},
): Promise<Backup> {
  const file = await openInput(path);
  async function* shown(pieces: Backup['pieces']) {
    await using _file = file;
    for await (const piece of pieces) {
      onRead(piece.points);
      yield piece;
    }
  }
  const { head, pieces } = await readLines(name, backupLines(name, file.stream, signal));
  return { head, pieces: shown(pieces) };
}

/** @returns the retention to set: `off` if the backup's would remove points and the user set none */
async function retentionFor({ head }: Backup, oldest: string | undefined, db: Database, io: RestoreIo) {
  const wanted = io.retention ?? head.raw_retention ?? 'off';
  const values = oldest !== undefined && wanted !== 'off' && { time: oldest, retention: wanted };
  const [found] = values ? await db.query(IS_OLDER, values) : [];
  const isOlder = found?.older === true;
  if (isOlder && io.retention !== undefined)
    io.progress(
      `Warning: RAW_RETENTION is ${wanted}, so older points will be removed soon. To keep them, raise RAW_RETENTION or set it to off.`,
    );
  else if (isOlder)
    io.progress(
      `The backup has points older than ${wanted}, the retention of its database. All are kept until you set RAW_RETENTION.`,
    );
  else if (head.raw_retention === null && io.retention === undefined)
    io.progress(
      'The backup does not record how long to keep points. All are kept until you set RAW_RETENTION.',
    );
  return isOlder && io.retention === undefined ? 'off' : wanted;
}

const IS_OLDER = compile(sql<{ older: boolean }>`
  select ${parameter('time')}::timestamptz < now() - ${parameter('retention')}::interval as older`);

/** @param onHistory gets the lines of history, which come first */
async function* rowsOf(
  { head, pieces }: Backup,
  { signal }: RestoreIo,
  onHistory: (lines: string) => Promise<void> = async () => {},
): AsyncGenerator<string> {
  // columns added since the backup are null
  const missing = ','.repeat(COLUMNS.length - head.columns.length);
  for await (const { bytes, isHistory } of pieces) {
    if (signal.aborted) throw interrupted();
    const text = bytes.toString('latin1');
    if (isHistory) await onHistory(text);
    else if (text !== '') yield missing === '' ? text : text.replaceAll('\n', `${missing}\n`);
  }
}
