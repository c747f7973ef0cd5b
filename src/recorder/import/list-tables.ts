// Finds the files that a command was given: those of folders too, and standard input, which is read more than once.
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BadInput, interrupted } from '../bad-input.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { openInput } from '../sources/input-file.ts';

const TABLE = /\.(csv|tsv|txt|log|dat)(\.gz)?$/i;
const ENDINGS = 'in .csv, .tsv, .txt, .log or .dat, or in one of them and .gz';

/** @returns the files in it and in its folders whose names tell what is wanted, in the order of their names */
export async function filesIn(folder: string, wanted: RegExp, what: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && wanted.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new BadInput(`The folder ${folder} holds no ${what}`);
  return files;
}

/** A file that can be read twice, and what messages call it. */
export interface TableFile {
  readonly path: string;
  readonly name: string;
}

interface Tables extends AsyncDisposable {
  readonly list: readonly TableFile[];
}

/**
 * What can be read only once, standard input and pipes, is copied to a folder of its own, and goes with the command.
 *
 * @throws BadInput for a folder without any
 */
export async function listTables(
  paths: readonly string[],
  io: Pick<RecorderIo, 'stdin' | 'signal'>,
): Promise<Tables> {
  if (paths.length > 1 && paths.includes('-')) throw new BadInput('- for standard input goes alone');
  const list: TableFile[] = [];
  await using copies = new AsyncDisposableStack();
  for (const path of paths) {
    if ((await stat(path).catch(() => undefined))?.isDirectory()) {
      const files = await filesIn(path, TABLE, `file whose name ends ${ENDINGS}`);
      list.push(...files.map((file) => ({ path: file, name: file })));
    } else list.push(copies.use(await readableTwice(path, io)));
  }
  const kept = copies.move();
  return { list, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** What can be read only once, standard input (`-`) and pipes, is copied to a folder of its own until it is disposed of. */
export async function readableTwice(
  path: string,
  { stdin, signal }: { readonly stdin: Readable; readonly signal: AbortSignal },
): Promise<TableFile & AsyncDisposable> {
  if (path === '-') return copyOf(stdin, 'Standard input', signal);
  const found = await stat(path).catch(() => undefined);
  if (!found || found.isFile() || found.isDirectory())
    return { path, name: path, [Symbol.asyncDispose]: async () => {} };
  await using pipe = await openInput(path);
  return await copyOf(pipe.stream, path, signal); // the pipe is open until then
}

async function copyOf(
  stream: Readable,
  name: string,
  signal: AbortSignal,
): Promise<TableFile & AsyncDisposable> {
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
