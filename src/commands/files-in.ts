// Finds the files in a folder.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from './bad-input.ts';

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
