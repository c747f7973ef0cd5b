// Stores the tables that were read, of each all points or none, and says what became of each.
import { BadInput, interrupted } from '../bad-input.ts';
import { openPointStore, type PointStore } from '../point-store.ts';
import { type PointCount, pointsText, storedLine } from '../progress.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { PointsFound } from '../store-interval.ts';
import type { ImportOptions } from './import-options.ts';

export interface ReadTable {
  readonly name: string;
  /** Of its points, where they were all checked before. */
  readonly checked: PointCount | undefined;
  /** Of its points, while they are read to be stored. */
  readonly read: PointCount;
  rows(): AsyncIterable<string>;
}

/**
 * A table in whose time points are already is passed over, unless they are to be replaced, or added to.
 *
 * @throws BadInput where one was passed over, at the end
 */
export async function storeTables(
  tables: readonly ReadTable[],
  mode: ImportOptions['mode'],
  io: RecorderIo,
): Promise<void> {
  if (mode === 'replace') assertApart(tables);
  const isOne = tables.length === 1;
  let refused = 0;
  await using store = await openPointStore(io);
  for (const [place, table] of tables.entries()) {
    const { name } = table;
    try {
      const line = await storeTable(table, mode, store);
      if (line !== undefined) io.progress(isOne ? line : `${name}: ${line}`);
    } catch (error) {
      if (io.signal.aborted && place > 0) throw interrupted(name);
      if (!(error instanceof PointsFound)) throw error;
      refused += 1;
      const line = `${name} is not stored: its time already has ${pointsText(error.found)}. --replace removes these and stores those of the file, --add stores both`;
      if (isOne) throw new BadInput(line);
      io.progress(line);
    }
  }
  if (refused > 0) throw new BadInput(`${refused} of ${tables.length} files are not stored`);
}

/** @returns what became of it; undefined where its points wait */
async function storeTable(
  { checked, read, rows }: ReadTable,
  mode: ImportOptions['mode'],
  store: PointStore,
): Promise<string | undefined> {
  if (mode === 'new') return (await store.storeNew(rows(), read)) ? storedLine(read) : undefined;
  const { first, last } = checked ?? {};
  if (mode === 'add' || first === undefined || last === undefined)
    return (await store.store(rows(), read)) ? storedLine(read) : undefined;
  const found = await store.replace(rows(), { first, last });
  if (!found) return undefined;
  return found.count === 0
    ? storedLine(read)
    : `${storedLine(read)} Removed ${pointsText(found)}, which were there.`;
}

/** What replaces in the time of another table would remove that one's points. */
function assertApart(tables: readonly ReadTable[]): void {
  const inOrder = tables
    .flatMap(({ name, checked: { first, last } = { count: 0 } }) =>
      first && last ? [{ name, first, last }] : [],
    )
    .sort((a, b) => (a.first < b.first ? -1 : 1));
  for (const [place, { name, first }] of inOrder.entries()) {
    const before = inOrder[place - 1];
    if (before && first <= before.last)
      throw new BadInput(
        `${name} begins at ${first}, before ${before.name} ends at ${before.last}: with --replace it would remove points of that. Give files whose times do not overlap`,
      );
  }
}
