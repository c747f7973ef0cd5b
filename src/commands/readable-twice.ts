// Lets a command read its input twice: to check it, and to store it.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { interrupted } from './bad-input.ts';
import { openInput } from './input-file.ts';

/** A file that can be read twice, and its name in messages. */
export interface RereadableFile {
  readonly path: string;
  readonly name: string;
}

/** Copies standard input (`-`) and pipes, which can be read only once, to a temporary folder until disposal. */
export async function readableTwice(
  path: string,
  { stdin, signal }: { readonly stdin: Readable; readonly signal: AbortSignal },
): Promise<RereadableFile & AsyncDisposable> {
  if (path === '-') return copyOf(stdin, 'Standard input', signal);
  const found = await stat(path).catch(() => undefined);
  if (!found || found.isFile() || found.isDirectory())
    return { path, name: path, [Symbol.asyncDispose]: async () => {} };
  await using pipe = await openInput(path);
  return await copyOf(pipe.stream, path, signal); // awaited, because disposal closes the pipe
}

async function copyOf(stream: Readable, name: string, signal: AbortSignal) {
  const folder = await mkdtemp(join(tmpdir(), 'audio-metrics-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'input');
  try {
    await pipeline(stream, createWriteStream(path), { signal });
  } catch (error) {
    await remove();
    throw signal.aborted ? interrupted() : error;
  }
  return { path, name, [Symbol.asyncDispose]: remove };
}
