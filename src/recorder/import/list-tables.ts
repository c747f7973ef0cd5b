// Finds the files that a command was given: those of folders too, and standard input, which is read more than once.
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BadInput, interrupted } from '../bad-input.ts';
import type { RecorderIo } from '../recorder-io.ts';

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

/** A file, and what messages call it. */
export interface TableFile {
  readonly path: string;
  readonly name: string;
}

/** @throws BadInput for a folder without any */
export async function listTables(paths: readonly string[]): Promise<TableFile[]> {
  const found: TableFile[] = [];
  for (const path of paths) {
    const isFolder = (await stat(path).catch(() => undefined))?.isDirectory();
    const files = isFolder ? await filesIn(path, TABLE, `file whose name ends ${ENDINGS}`) : [path];
    found.push(...files.map((file) => ({ path: file, name: file })));
  }
  return found;
}

/** Standard input as a file that can be read twice. It goes with the command. */
export async function copyInput({
  stdin,
  signal,
}: Pick<RecorderIo, 'stdin' | 'signal'>): Promise<TableFile & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'audio-metrics-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'standard-input');
  try {
    await pipeline(stdin, createWriteStream(path), { signal });
  } catch (error) {
    await remove();
    throw signal.aborted ? interrupted() : error;
  }
  return { path, name: 'Standard input', [Symbol.asyncDispose]: remove };
}
