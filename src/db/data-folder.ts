// The folder of the embedded database: makes, checks and locks it, for one process at a time.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const DEMO_MARK = 'demo';
const SPOOL = 'spool';
const ADVICE = 'set DATA_DIR to another folder, or leave it out';

export interface DataFolder {
  /** Where PGlite keeps its files. */
  readonly files: string;
  /** Syncs the files of a new database, and marks them as complete. Incomplete ones are removed at the next start. */
  settled(): void;
  release(): void;
}

/** Another process has the folder. */
export class FolderInUse extends Error {}

/** Where points come from: a microphone, or the demo. */
export type PointOrigin = 'measured' | 'made up';

/**
 * @param points the origin of those to be stored, if any: a folder with points of the other origin is refused
 * @throws an Error that names the folder and says what to do
 */
export function holdFolder(dataDir: string, points?: PointOrigin): DataFolder {
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
    // remains if the process is killed while PGlite writes its first files
    if (found.length === 0) writeFileSync(beginning, '');
    return {
      files,
      settled: () => {
        if (existsSync(beginning)) sync(files);
        rmSync(beginning, { force: true });
      },
      release: () => {
        if (lock.isOpen) lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** PGlite writes the first files of a database without. */
function sync(folder: string): void {
  for (const name of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    const file = openSync(join(folder, name), 'r');
    fsyncSync(file);
    closeSync(file);
  }
}

/**
 * @returns the folder in which measured points wait for whoever opens the database; the caller makes it
 * @throws an Error that says what to do, where the data folder is the demo's
 */
export function spoolIn(dataDir: string): string {
  const folder = resolve(dataDir);
  if (isOfDemo(folder)) throw demoFault(folder);
  return join(folder, SPOOL);
}

export function isOfDemo(dataDir: string): boolean {
  return existsSync(join(dataDir, DEMO_MARK));
}

function demoFault(folder: string): Error {
  return new Error(`The data folder ${folder} is the demo's, whose points are made up: ${ADVICE}`);
}

/** Marks a new folder as the demo's, and refuses to mix made-up points with measured ones. */
function markFolder(folder: string, isNew: boolean, points?: PointOrigin): void {
  const mark = join(folder, DEMO_MARK);
  if (isNew) rmSync(mark, { force: true });
  if (isNew && points === 'made up' && !existsSync(join(folder, SPOOL)))
    writeFileSync(mark, 'The points in this folder are made up.\n');
  const isDemo = existsSync(mark);
  if (points === 'made up' && !isDemo)
    throw new Error(
      `The data folder ${folder} holds a database that the demo did not make, and its points are made up: ${ADVICE}`,
    );
  if (points === 'measured' && isDemo) throw demoFault(folder);
}

/** Makes its parents too. Node's `recursive` never returns where the system says ENOENT, as in /proc. */
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

/** PGlite has no lock. That of a SQLite file is freed by the system however the process ends. */
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
    if (error instanceof Error && error.message.includes('locked'))
      throw new FolderInUse(
        `The data folder ${folder} is in use by another process: stop that one, or set DATA_DIR to another folder`,
      );
    const reason = 'cannot be written, or its file `lock` is not ours: set DATA_DIR to another folder';
    throw new Error(`The data folder ${folder} ${reason}`, { cause: error });
  }
}
