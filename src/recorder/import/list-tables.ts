// Finds the files that a command was given: those of folders too, and standard input, which is read more than once.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from '../bad-input.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { type RereadableFile, readableTwice } from '../sources/readable-twice.ts';

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

interface Tables extends AsyncDisposable {
  readonly list: readonly RereadableFile[];
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
  const list: RereadableFile[] = [];
  await using copies = new AsyncDisposableStack();
  for (const path of paths) {
    if (path !== '-' && (await stat(path).catch(() => undefined))?.isDirectory()) {
      const files = await filesIn(path, TABLE, `file whose name ends ${ENDINGS}`);
      list.push(...files.map((file) => ({ path: file, name: file })));
    } else list.push(copies.use(await readableTwice(path, io)));
  }
  const kept = copies.move();
  return { list, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
