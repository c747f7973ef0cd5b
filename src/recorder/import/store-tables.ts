// Stores the tables that were read, of each all points or none, and says what became of each.
import type { Database } from '../../db/database.ts';
import { BadInput, interrupted } from '../bad-input.ts';
import { storedLine } from '../progress.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { openPoints } from '../storing/open-points.ts';
import { type Mode, PointsFound, storePoints } from '../storing/point-store.ts';
import type { TableCount } from './read-table.ts';

export interface ReadTable {
  readonly name: string;
  /** Of its points: they were all checked before. */
  readonly checked: TableCount;
  rows(): AsyncIterable<string>;
}

/**
 * A table in whose time points already are is passed over, unless they are to be replaced, or added to.
 *
 * @throws BadInput where one was passed over, at the end
 */
export async function storeTables(tables: readonly ReadTable[], mode: Mode, io: RecorderIo): Promise<void> {
  if (mode === 'replace') assertApart(tables);
  const isOne = tables.length === 1;
  let refused = 0;
  await using db = await openPoints(io);
  for (const [place, table] of tables.entries()) {
    const { name } = table;
    try {
      const line = await storeTable(table, mode, db, io);
      io.progress(isOne ? line : `${name}: ${line}`);
    } catch (error) {
      if (io.signal.aborted && place > 0) throw interrupted(name);
      if (!(error instanceof PointsFound)) throw error;
      refused += 1;
      const line = error.advice(name);
      if (isOne) throw new BadInput(line);
      io.progress(line);
    }
  }
  if (refused > 0) throw new BadInput(`${refused} of ${tables.length} files are not stored`);
}

/** @returns what became of it */
async function storeTable(
  { checked, rows }: ReadTable,
  mode: Mode,
  db: Database,
  { progress }: RecorderIo,
): Promise<string> {
  const { first, last, isOrdered = true } = checked;
  if (first === undefined || last === undefined) return storedLine(checked);
  const removed = await storePoints(db, rows(), { mode, whole: { first, last, isOrdered }, progress });
  return storedLine(checked, removed);
}

/** What replaces in the time of another table would remove that one's points. */
function assertApart(tables: readonly ReadTable[]): void {
  const inOrder = tables
    .flatMap(({ name, checked: { first, last } }) => (first && last ? [{ name, first, last }] : []))
    .sort((a, b) => (a.first < b.first ? -1 : 1));
  for (const [place, { name, first }] of inOrder.entries()) {
    const before = inOrder[place - 1];
    if (before && first <= before.last)
      throw new BadInput(
        `${name} begins at ${first}, before ${before.name} ends at ${before.last}: with --replace it would remove points of that. Give files whose times do not overlap`,
      );
  }
}
