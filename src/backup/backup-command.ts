// The `backup` command: writes all points to a file that any later version can read, while the service keeps running.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Command } from 'commander';
import { BadInput, type CommandIo } from '../commands/input-files.ts';
import { createTicker, pointsText } from '../commands/progress.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import type { Database } from '../database/database.ts';
import { listStations } from '../database/station-schemas.ts';
import type { FilePiece } from '../points/points.ts';
import { assertMayWrite, writeFile, writeTo } from './backup-file.ts';
import { ENDING, type Head, leftOutText } from './backup-format.ts';
import { backupOf } from './snapshot.ts';

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

export function backupCommand(io: () => BackupIo): Command {
  return new Command('backup')
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
}

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
    const { head, pieces } = await backupOf(db);
    leftOut = head.left_out;
    if (io.station === DEFAULT_STATION && !isOfAll) others = await listStations(db);
    const lines = shown(pieces);
    if (path === '-') await writeTo(io.stdout, lines, signal);
    else await writeFile(path, lines, force, signal);
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
