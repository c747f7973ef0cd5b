// The folder of the embedded database: creates, checks and locks it for one process at a time.
import { existsSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { assertSocketFits } from './embedded/owner-socket.ts';
import { FolderInUse } from './faults.ts';
import { takeFileLock } from './file-lock.ts';
import { closeToOthers, makeFolder, removeSynced, syncTree, writeSynced } from './synced-folders.ts';

/** The PostgreSQL version inside PGlite. */
const POSTGRES_MAJOR = '18';
const DEMO_MARK = 'demo';
const SPOOL = 'spool';
const ADVICE = 'set DATA_DIR to another folder, or leave it out';

export type DataFolder = ReturnType<typeof holdFolder>;

/** Where points come from: a microphone, or the demo. */
export type PointOrigin = 'measured' | 'made up';

/**
 * @param points the origin of the points to store, if any: a folder with points of the other origin is refused
 * @param say shows a line to the user
 * @throws an Error that names the folder and the remedy
 */
export function holdFolder(dataDir: string, points?: PointOrigin, say: (line: string) => void = () => {}) {
  const folder = resolve(dataDir);
  const files = join(folder, 'pg');
  assertSocketFits(folder);
  try {
    makeFolder(folder);
    closeToOthers(folder, say);
  } catch (error) {
    throw new Error(`The data folder ${folder} cannot be created: set DATA_DIR to a writable folder`, {
      cause: error,
    });
  }
  const release = takeLock(folder, files);
  try {
    const beginning = join(folder, 'initialising');
    if (existsSync(beginning)) removeSynced(files);
    const found = existsSync(files) ? readdirSync(files) : [];
    if (found.length > 0 && !found.includes('PG_VERSION'))
      throw new Error(`${files} holds something other than a database: set DATA_DIR to another folder`);
    if (found.length > 0) assertVersion(files);
    markFolder(folder, found.length === 0, points);
    // this file remains if the process is killed while PGlite writes its first files
    if (found.length === 0) writeSynced(beginning, '');
    makeFolder(files);
    return {
      files,
      isOld: found.length > 0,
      /** Syncs the files of a new database and marks them complete. The next start removes incomplete ones. */
      settled: () => {
        if (!existsSync(beginning)) return;
        syncTree(files); // PGlite does not sync the first files of a database
        removeSynced(beginning);
      },
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Refuses another major version. PostgreSQL itself refuses an unreadable version file. */
function assertVersion(files: string): void {
  const major = readFileSync(join(files, 'PG_VERSION'), 'utf8').trim();
  if (major === POSTGRES_MAJOR || !/^\d+$/.test(major)) return;
  throw new Error(
    `The database in ${files} was written by PostgreSQL ${major}, and this version of Audio Metrics has ${POSTGRES_MAJOR}. ` +
      'Run `npm run backup -- FILE` with the version that wrote it, then `npm run restore -- FILE` with this one and another DATA_DIR',
  );
}

/** @returns where measured points wait until a process opens the database. @throws what {@link assertNotDemo} throws */
export function spoolIn(dataDir: string): string {
  const folder = resolve(dataDir);
  assertNotDemo(folder);
  return join(folder, SPOOL);
}

export const isOfDemo = (dataDir: string): boolean => existsSync(join(dataDir, DEMO_MARK));

/** @throws an Error with the remedy if the data folder belongs to the demo */
export function assertNotDemo(folder: string): void {
  if (isOfDemo(folder))
    throw new Error(`The data folder ${folder} holds the demo's made-up points: ${ADVICE}`);
}

/** Marks a new folder as the demo's, and refuses to mix made-up and measured points. */
function markFolder(folder: string, isNew: boolean, points?: PointOrigin): void {
  const mark = join(folder, DEMO_MARK);
  if (isNew) removeSynced(mark);
  if (isNew && points === 'made up' && !existsSync(join(folder, SPOOL)))
    writeSynced(mark, 'The points in this folder are made up.\n');
  const isDemo = existsSync(mark);
  if (points === 'made up' && !isDemo)
    throw new Error(
      `The data folder ${folder} holds a database that the demo did not make, so it takes no made-up points: ${ADVICE}`,
    );
  if (points === 'measured') assertNotDemo(folder);
}

/** PGlite itself has no lock. */
function takeLock(folder: string, files: string): () => void {
  const path = join(folder, 'lock');
  let free: (() => void) | undefined;
  try {
    free = takeFileLock(path);
  } catch (error) {
    // our lock file is empty unless a power cut tore it; no process can lock a file that SQLite cannot read
    const isTorn =
      error instanceof Error && error.message.includes('not a database') && statSync(path).size > 0;
    if (isTorn && existsSync(join(files, 'PG_VERSION'))) {
      truncateSync(path);
      return takeLock(folder, files);
    }
    const reason = 'cannot be written, or its file `lock` is not ours: set DATA_DIR to another folder';
    throw new Error(`The data folder ${folder} ${reason}`, { cause: error });
  }
  if (!free)
    throw new FolderInUse(
      `The data folder ${folder} is in use by another process: stop that process, or set DATA_DIR to another folder`,
    );
  return free;
}
