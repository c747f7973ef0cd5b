// The `backup` command: writes all points to a file that any later version reads, while the service goes on.
import type { Writable } from 'node:stream';
import { Command } from 'commander';
import type { Database } from '../db/database.ts';
import { BadInput } from '../recorder/bad-input.ts';
import { createTicker, pointsText } from '../recorder/progress.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { assertMayWrite, writeFile, writeTo } from './backup-file.ts';
import { type Head, leftOutText, type Piece } from './backup-format.ts';
import { backupOf } from './snapshot.ts';

const ABOUT = `Writes all points that are stored now to a file, while the service goes on: of the embedded database in \
DATA_DIR, or of the server in DATABASE_URL. \`npm run restore\` stores them in any of these databases, and in any later \
version. Points that still wait in the spool of a recorder are not in it. Points at \`infinity\`, and outside the years 1 to 9999, are left out \
and named, and the exit code is 1.`;

export interface BackupIo extends Pick<RecorderIo, 'progress' | 'signal'> {
  /** The caller closes it. */
  open(): Promise<Database>;
  /** What waits to be stored, and where, to tell the user. */
  waiting(): string | undefined;
  stdout: Writable;
}

export function backupCommand(io: () => BackupIo): Command {
  return new Command('backup')
    .description(ABOUT)
    .argument('<FILE>', 'the file to write, or - for standard output')
    .option('--force', 'replace a file of that name')
    .action((path: string, { force = false }: { force?: boolean }) => backup(path, force, io()));
}

export async function backup(path: string, force: boolean, io: BackupIo): Promise<void> {
  const { signal } = io;
  if (path !== '-') assertMayWrite(path, force);
  const tick = createTicker(io.progress);
  let count = 0;

  async function* shown(pieces: AsyncIterable<Piece>): AsyncGenerator<Buffer> {
    for await (const { bytes, points } of pieces) {
      count = points;
      tick(() => pointsText({ count }));
      yield bytes;
    }
  }

  const db = await io.open();
  let leftOut: Head['left_out'];
  try {
    const { head, pieces } = await backupOf(db);
    leftOut = head.left_out;
    const lines = shown(pieces);
    if (path === '-') await writeTo(io.stdout, lines, signal);
    else await writeFile(path, lines, force, signal);
  } catch (error) {
    throw signal.aborted ? new BadInput('Interrupted: there is no backup') : error;
  } finally {
    await db.close();
  }
  io.progress(`Wrote ${pointsText({ count })} to ${path === '-' ? 'standard output' : path}.`);
  const waiting = io.waiting();
  if (waiting !== undefined) io.progress(waiting);
  if (leftOut)
    throw new BadInput(
      `Left out ${leftOutText(leftOut)}: a backup holds the years 1 to 9999. Correct or remove them`,
    );
}
