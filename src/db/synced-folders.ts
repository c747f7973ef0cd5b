// Changes folders so that a power cut undoes nothing: each change is on disk when the function returns.
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
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Syncs a file, or the names in a folder. */
export function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Syncs all that is in a folder, and its name. */
export function syncTree(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) sync(join(folder, name));
  sync(folder);
  sync(dirname(folder));
}

export function writeSynced(path: string, text: string): void {
  writeFileSync(path, text);
  sync(path);
  sync(dirname(path));
}

/** A power cut, or whoever reads it meanwhile, finds the whole of it, or of what was there before. */
export async function replaceSynced(path: string, text: string): Promise<void> {
  const beginning = join(dirname(path), `.writing-${crypto.randomUUID()}`);
  const file = await open(beginning, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
    await renameSynced(beginning, path);
  } finally {
    await file.close();
    await rm(beginning, { force: true });
  }
}

/** Opens the folder first: a process without a free file fails before it renames. */
export async function renameSynced(from: string, to: string): Promise<void> {
  const folder = await open(dirname(to));
  try {
    await rename(from, to);
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Removes what may be missing. */
export function removeSynced(path: string): void {
  if (!existsSync(path)) return;
  rmSync(path, { recursive: true });
  sync(dirname(path));
}

/** Makes its parents too. Node's `recursive` never returns where the system says ENOENT, as in /proc. */
export function makeFolder(folder: string): void {
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
  sync(dirname(folder));
}
