// Changes folders so that a power cut undoes nothing: each change is on disk when its function returns.
import {
  chmodSync,
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
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The rights of group and others, including the right to enter. */
const OTHERS = 0o077;

/** Syncs a file, or the names in a folder. */
export function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs everything in a folder, and its name. */
export function syncTree(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) sync(join(folder, name));
  sync(folder);
  sync(dirname(folder));
}

export function writeSynced(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  sync(path);
  sync(dirname(path));
}

/** Replaces a file atomically: a reader, or a restart after a power cut, sees all of the old or all of the new text. */
export async function replaceSynced(path: string, text: string): Promise<void> {
  const beginning = join(dirname(path), `.writing-${crypto.randomUUID()}`);
  const file = await createFile(beginning);
  try {
    await file.writeFile(text);
    await file.sync();
    await renameSynced(beginning, path);
  } finally {
    await file.close();
    await rm(beginning, { force: true });
  }
}

/** Creates a file that only users who may read its folder can read, whatever the umask. */
export async function createFile(path: string): Promise<FileHandle> {
  const { mode } = await stat(dirname(path));
  const file = await open(path, 'w', 0o600);
  await file.chmod(mode & 0o666).catch(() => {}); // a file system without modes
  return file;
}

/** Opens the folder first: a process with no free file descriptor fails before it renames. */
export async function renameSynced(from: string, to: string): Promise<void> {
  const folder = await open(dirname(to));
  try {
    await rename(from, to);
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Removes a file that may be missing. */
export function removeSynced(path: string): void {
  if (!existsSync(path)) return;
  rmSync(path, { recursive: true });
  sync(dirname(path));
}

/** Restricts a folder and its contents to its owner, and reports if other users could enter. */
export function closeToOthers(folder: string, say: (line: string) => void): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || (found.mode & OTHERS) === 0) return;
  try {
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isSymbolicLink()) chmodSync(path, statSync(path).mode & ~OTHERS);
    }
    say(`Other users could open the folder ${folder}: now only its owner can`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say(`Other users can open the folder ${folder}. Run \`chmod -R go= ${folder}\` as its owner: ${reason}`);
  }
}

/** Creates the folder and its parents. Node's `recursive` never returns if the system reports ENOENT, as in /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file`);
    return;
  }
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if (!existsSync(folder)) throw error; // else another process made it
  }
  sync(dirname(folder));
}
