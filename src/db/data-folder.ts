// The folder of the embedded database: made, checked and held by one process at a time.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface DataFolder {
  /** Where PGlite keeps its files. */
  readonly files: string;
  /** Marks the files as complete: the next start keeps them. */
  settled(): void;
  release(): void;
}

/** What somebody is about to store: points of a microphone, or those of the demo. */
export type Points = 'measured' | 'made up';

/**
 * @param points where any are to be stored: those of the other kind must not be in the folder
 * @throws an Error that names the folder and says what to do
 */
export function holdFolder(dataDir: string, points?: Points): DataFolder {
  const folder = resolve(dataDir);
  const files = join(folder, 'pg');
  try {
    makeFolder(folder);
  } catch (error) {
    throw new Error(`The data folder ${folder} cannot be made: set DATA_DIR to one that can be written`, {
      cause: error,
    });
  }
  const lock = takeLock(folder);
  try {
    const beginning = join(folder, 'initialising');
    if (existsSync(beginning)) rmSync(files, { recursive: true, force: true });
    const found = existsSync(files) ? readdirSync(files) : [];
    if (found.length > 0 && !found.includes('PG_VERSION'))
      throw new Error(`${files} holds something other than a database: set DATA_DIR to another folder`);
    markFolder(folder, found.length === 0, points);
    // stays behind where the process is killed while PGlite writes its first files
    if (found.length === 0) writeFileSync(beginning, '');
    return {
      files,
      settled: () => rmSync(beginning, { force: true }),
      release: () => {
        if (lock.isOpen) lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Notes in a new folder whether it is the demo's, so that nothing made up gets among measured points. */
function markFolder(folder: string, isNew: boolean, points?: Points): void {
  const mark = join(folder, 'demo');
  if (isNew) rmSync(mark, { force: true });
  if (isNew && points === 'made up') writeFileSync(mark, 'The points in this folder are made up.\n');
  const isDemo = existsSync(mark);
  const advice = 'set DATA_DIR to another folder, or leave it out';
  if (points === 'made up' && !isDemo)
    throw new Error(
      `The data folder ${folder} holds a database that the demo did not make, and its points are made up: ${advice}`,
    );
  if (points === 'measured' && isDemo)
    throw new Error(`The data folder ${folder} is the demo's, whose points are made up: ${advice}`);
}

/** Makes the folders above it too. Node's `recursive` never ends where the system says ENOENT, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file`);
    return;
  }
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // else another process made it
  }
}

/** Locks a SQLite file, because the system frees that lock however the process ends. PGlite has no lock. */
function takeLock(folder: string): DatabaseSync {
  let lock: DatabaseSync;
  try {
    lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  } catch (error) {
    throw new Error(`The data folder ${folder} cannot be written: set DATA_DIR to one that can`, {
      cause: error,
    });
  }
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    const busy = error instanceof Error && error.message.includes('locked');
    const reason = busy
      ? 'is in use by another process: stop that one, or set DATA_DIR to another folder'
      : 'cannot be written, or its file `lock` is not ours: set DATA_DIR to another folder';
    throw new Error(`The data folder ${folder} ${reason}`, { cause: error });
  }
}
