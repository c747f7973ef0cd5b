// Writes and reads the backup file. A file under its final name is always complete and on disk.
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { BadInput, interrupted } from '../commands/input-files.ts';
import { renameSynced } from '../database/synced-folders.ts';
import { cutOff, damaged, foreign } from './backup-format.ts';

/** @throws BadInput if the file exists */
export function assertMayWrite(path: string, force: boolean): void {
  if (!force && existsSync(path))
    throw new BadInput(`${path} already exists: choose another name, or replace it with --force`);
}

/** Writes under a temporary name first, so no incomplete file has the final name. @param force replaces a file */
export async function writeFile(
  path: string,
  lines: AsyncIterable<Buffer>,
  force: boolean,
  signal: AbortSignal,
): Promise<void> {
  assertMayWrite(path, force);
  const beginning = `${path}.${randomUUID().slice(0, 8)}.part`;
  const file = await open(beginning, 'wx', 0o600).catch((cause) => {
    throw new Error(`${path} cannot be written`, { cause });
  });
  try {
    await writeTo(file.createWriteStream({ flush: true }), lines, signal);
    assertMayWrite(path, force);
    await renameSynced(beginning, path);
  } finally {
    rmSync(beginning, { force: true });
  }
}

export async function writeTo(stream: Writable, lines: AsyncIterable<Buffer>, signal: AbortSignal) {
  await pipeline(Readable.from(lines), createGzip(), stream, { signal });
}

/** @throws BadInput if the file is not compressed, or is damaged */
export async function* backupLines(
  name: string,
  compressed: Readable,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const lines = createGunzip();
  pipeline(compressed, lines, { signal }).catch(() => {}); // thrown below
  try {
    yield* lines;
  } catch (error) {
    if (signal.aborted) throw interrupted();
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'Z_BUF_ERROR') throw cutOff(name);
    if (error.code !== 'Z_DATA_ERROR') throw error;
    throw error.message === 'incorrect header check' ? foreign(name) : damaged(name, error.message);
  }
}
