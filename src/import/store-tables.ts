// Stores the checked tables, each completely or not at all, and prints the progress and the result of each.
import { BadInput, interrupted } from '../commands/input-files.ts';
import { createTicker, percent, storedLine } from '../commands/progress.ts';
import type { Database } from '../database/database.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { expiryOf } from '../recorder/storing/expiring-points.ts';
import { openPoints } from '../recorder/storing/open-points.ts';
import { publishNewest } from '../recorder/storing/periods/note-periods.ts';
import type { RecordedAs } from '../recorder/storing/periods/recorded-as.ts';
import { type Mode, type PointInterval, PointsFound, storePoints } from '../recorder/storing/point-store.ts';
import type { Reader } from './read-table.ts';
import type { TableSurvey } from './table-survey.ts';

export interface ReadTable {
  readonly name: string;
  readonly checked: TableSurvey;
  readonly islands: readonly PointInterval[];
  rows(): AsyncIterable<string>;
}

/** Opens the database for tables with points, and warns of points that would expire soon. */
export async function withDatabase(
  tables: readonly ReadTable[],
  io: RecorderIo,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  const first = tables.flatMap(({ checked }) => checked.first ?? []).sort()[0];
  if (first === undefined) return assertPoints(tables);
  await using db = await openPoints(io);
  const expiry = await expiryOf(db, first);
  if (expiry !== undefined) io.progress(`Warning: ${expiry}. To keep them, set it to off before the import.`);
  await work(db);
  assertPoints(tables);
}

/** @throws BadInput with the tables that have no points */
function assertPoints(tables: readonly ReadTable[]): void {
  const empty = tables.filter(({ checked }) => checked.count === 0).map(({ name }) => name);
  if (empty.length > 0)
    throw new BadInput(`${empty.join(', ')}: no points found. Use --dry-run to see how the lines are read`);
}

/** Skips a table that overlaps points, unless `mode` allows it. @throws BadInput at the end for one skipped or empty */
export async function storeTables(
  tables: readonly ReadTable[],
  mode: Mode,
  as: RecordedAs | undefined,
  io: RecorderIo,
): Promise<void> {
  if (mode === 'replace') assertApart(tables);
  await withDatabase(tables, io, async (db) => {
    const isOne = tables.length === 1;
    let refused = 0;
    for (const [index, table] of tables.entries()) {
      const { name, checked, islands } = table;
      if (checked.count === 0) continue;
      const whole = { islands, isOrdered: checked.isOrdered() };
      try {
        const removed = await storePoints(db, table.rows(), { mode, as, whole, progress: io.progress });
        const line = storedLine(checked, removed);
        io.progress(isOne ? line : `${name}: ${line}`);
      } catch (error) {
        if (io.signal.aborted && index > 0) throw interrupted(name);
        if (!(error instanceof PointsFound)) throw error;
        refused += 1;
        const line = error.advice(name);
        if (isOne) throw new BadInput(line);
        io.progress(line);
      }
    }
    if (as && io.database === 'embedded') await publishNewest(await io.openSpool(), db);
    if (refused > 0) throw new BadInput(`${refused} of ${tables.length} files were not stored`);
  });
}

/** With --replace, overlapping tables would remove each other's points. */
function assertApart(tables: readonly ReadTable[]): void {
  const inOrder = tables
    .flatMap(({ name, islands }) => islands.map((island) => ({ name, ...island })))
    .sort((a, b) => (a.first < b.first ? -1 : 1));
  for (const [index, { name, first }] of inOrder.entries()) {
    const before = inOrder[index - 1];
    if (before && first <= before.last)
      throw new BadInput(
        `${name} has points at ${first}, before ${before.name} ends at ${before.last}. With --replace it would remove points of ${before.name}: give files whose times do not overlap`,
      );
  }
}

/** On a terminal, where each status replaces the previous one. */
const EVERY_MS = 250;
const LOGGED_EVERY_MS = 10_000;

/** @param verb the work on the points, such as `checked`. @param index counted from 0 */
export function createTableStatus(
  { status, isTerminal }: Pick<RecorderIo, 'status' | 'isTerminal'>,
  verb: string,
  index: number,
  files: number,
): Reader['show'] {
  const tick = createTicker(status, isTerminal ? EVERY_MS : LOGGED_EVERY_MS);
  const which = files === 1 ? '' : `file ${index + 1} of ${files}, `;
  return ([done, all], points) =>
    tick(() => `${percent(done, all)}, ${which}${points.toLocaleString('en')} points ${verb}`);
}
