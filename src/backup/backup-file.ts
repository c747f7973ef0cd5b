// The file of a backup: there whole and on disk, or not at all.
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { renameSynced } from '../db/synced-folders.ts';
import { BadInput, interrupted } from '../recorder/bad-input.ts';
import { cutOff, damaged, foreign } from './backup-format.ts';

/** @throws BadInput where there is a file of that name */
export function assertMayWrite(path: string, force: boolean): void {
  if (!force && existsSync(path))
    throw new BadInput(`${path} is there already: name another file, or replace it with --force`);
}

/**
 * Writes under another name first: a file that is there is one that is whole.
 *
 * @param force whether a file of that name may be replaced
 */
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

/** The lines of a file. @throws BadInput where it is not compressed, or is damaged */
export async function* linesOf(
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
