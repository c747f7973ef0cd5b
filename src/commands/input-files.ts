// Finds, opens and reads the files of a command, and defines the error for bad input.
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What a command that reads input and reports progress needs from the process. */
export interface CommandIo {
  readonly stdin: Readable;
  progress(line: string): void;
  /** Aborts when the command must end. A file is then not stored; a stream keeps its measured points. */
  readonly signal: AbortSignal;
}

/** The message is for the user and locates the fault. */
export class BadInput extends Error {
  override name = 'BadInput';
}

/** The error for a load that the user interrupts. @param file the file being loaded, if others were loaded before */
export const interrupted = (file?: string): BadInput =>
  new BadInput(
    file === undefined
      ? 'Interrupted: nothing more was stored'
      : `Interrupted: the rest of ${file} and the files after it were not stored`,
  );

const PIECE_BYTES = 2 ** 20;
const SAY_AFTER_MS = 3000;
const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'you have no permission to read it',
};

/** Prints what a slow open waits for: a named pipe opens only when a program writes to it. */
export async function saidIfSlow<Came>(name: string, coming: Promise<Came>, say: (line: string) => void) {
  const timer = setTimeout(() => say(`Waiting for ${name}: nothing has arrived yet.`), SAY_AFTER_MS);
  return coming.finally(() => clearTimeout(timer));
}

/** @throws BadInput with the reason why the file cannot be opened */
export async function openInput(path: string) {
  const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
    throw new BadInput(`Cannot open ${path}: ${REASONS[cause.code ?? ''] ?? cause.message}`, { cause });
  });
  const stat = await file.stat();
  if (stat.isDirectory()) {
    await file.close();
    throw new BadInput(`Cannot open ${path}: it is a directory`);
  }
  const stream = file.createReadStream({ highWaterMark: PIECE_BYTES });
  return {
    stream,
    /** In bytes; undefined for a pipe. */
    size: stat.isFile() ? stat.size : undefined,
    async [Symbol.asyncDispose](): Promise<void> {
      stream.destroy();
      await file.close().catch(() => {}); // the stream closes it too
    },
  };
}

/** A file that can be read twice, and its name in messages. */
export interface RereadableFile {
  readonly path: string;
  readonly name: string;
}

/** Copies standard input (`-`) and pipes, which can be read only once, to a temporary folder until disposal. */
export async function readableTwice(
  path: string,
  { stdin, signal }: Pick<CommandIo, 'stdin' | 'signal'>,
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

export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** @returns the files in the folder and its subfolders whose names match, sorted by name */
export async function filesIn(folder: string, wanted: RegExp, what: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && wanted.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new BadInput(`The folder ${folder} has no ${what}`);
  return files;
}

export const LONGEST_LINE = 65_536;
/** How much of an endless line to keep: enough to refuse it for its length. */
const MOST_KEPT = 2 * LONGEST_LINE;

/**
 * Skips zero bytes at the start of a line: file systems write blocks of them after a power cut.
 *
 * @param signal ends the stream; the last line may then be incomplete and is dropped
 * @returns the lines that each piece of the stream completes, then the last one, without line feed and carriage return;
 *   then none
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  encoding = 'utf-8',
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder(encoding);
  let rest = '';
  const bare = (line: string) => line.replace(/^\0+/, '');
  for await (const piece of stream) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
    rest = bare(lines.pop() ?? '').slice(0, MOST_KEPT);
    if (lines.length > 0) yield lines.map((line) => bare(line).replace(/\r+$/, ''));
  }
  rest = bare(rest + decoder.decode());
  if (rest !== '' && !signal.aborted) yield [rest.replace(/\r+$/, '')];
  yield [];
}
