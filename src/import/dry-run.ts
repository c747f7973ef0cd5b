// Reports on the tables that were read: skipped and changed points, and in a dry run what would be stored.
import { BadInput } from '../commands/input-files.ts';
import { addPoints, counted, isSome, pointsText } from '../commands/progress.ts';
import type { TimeReader } from '../commands/times/time-format.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { CSV_HEADER } from '../contract/point.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { findInIslands } from '../recorder/storing/point-store.ts';
import type { ImportOptions } from './import-options.ts';
import { notDecibels } from './line-values.ts';
import type { Refusals } from './refusals.ts';
import type { Repeats } from './repeats.ts';
import { type ReadTable, withDatabase } from './store-tables.ts';
import { noPoints, type TableCount } from './table-survey.ts';

/** The most rows to show. */
export const SHOWN = 5;

export interface TableReport {
  readonly tables: readonly ReadTable[];
  readonly refusals: Refusals | undefined;
  readonly repeats: Repeats;
  readonly times: TimeReader | undefined;
  readonly layout: ImportOptions['layout'];
  readonly first: readonly string[];
}

export function remarksOn({ tables, refusals, repeats, times, layout }: TableReport): string[] {
  const { count, clipped, levelless } = together(tables);
  const [unit, repeated] = [times?.unit(), times?.repeated() ?? 0];
  const skipped = refusals?.count() ?? 0;
  const uneven = tables.filter(({ checked }) => layout && !layout.hold && checked.isUneven());
  return [
    ...tables.flatMap(({ checked }) => checked.notes),
    unit !== undefined && `Read times as ${unit}.`,
    repeated > 0 &&
      `${counted(repeated, 'time')} fell into the repeated autumn hour of ${layout?.zone}, and were taken in file order.`,
    levelless > 0 && `No level in ${levelless.toLocaleString('en')} of ${counted(count, 'point')}.`,
    layout && repeats.count() > 0 && `${repeats.told()}.`,
    clipped > 0 &&
      `Clipped ${counted(clipped, 'point')} with a value out of range to the nearest limit of the range.`,
    ...uneven.map(
      ({ name }) =>
        `Warning: the points of ${name} are unevenly spaced, as in a log of changes. Each counts the same in Leq, however long its level lasted: to repeat each level until the next, use --hold 1s.`,
    ),
    skipped > 0 && `Skipped ${counted(skipped, 'line')}:`,
    ...(refusals?.lines() ?? []),
  ].filter((line) => typeof line === 'string');
}

/** @throws BadInput if there are levels above 0 without a reference */
export function assertReference(report: TableReport): void {
  if (lacksReference(report)) throw new BadInput(levelsAdvice(report));
}

function lacksReference({ tables, layout }: TableReport): boolean {
  return layout !== undefined && layout.offsetDb === undefined && together(tables).highestDb > 0;
}

/** @returns a hint with the range of levels and the reference that stores most of them; empty if all fit */
export function levelsAdvice({ tables, layout }: Pick<TableReport, 'tables' | 'layout'>): string {
  const { lowestDb, highestDb } = together(tables);
  const offsetDb = layout?.offsetDb ?? 0;
  if (highestDb + offsetDb <= 0 && lowestDb + offsetDb >= FLOOR_DB) return '';
  const references = tables.flatMap(({ checked }) => checked.reference() ?? []);
  const best = references.sort((a, b) => b.referenceDb - a.referenceDb)[0];
  if (!best) return '';
  const none = notDecibels(lowestDb, best.medianDb, highestDb);
  if (none) return `Values are ${lowestDb} to ${highestDb}: ${none}.`;
  const stored =
    best.clipped === 0
      ? 'stores all of them'
      : `with --clip changes ${best.clipped.toLocaleString('en')} of ${counted(best.count, 'level')} to an end of that range`;
  return `Levels are ${lowestDb} to ${highestDb} dB, but only the ${-FLOOR_DB} dB below the reference are stored${layout?.offsetDb === undefined ? ', so --reference-db is required' : ''}: --reference-db ${best.referenceDb} ${stored}. Use the same reference for all files from one place.`;
}

/** @throws BadInput if a line would be refused, or if the tables overlap existing points */
export async function showDryRun(report: TableReport, { mode, skipBad }: ImportOptions, io: RecorderIo) {
  const { tables, refusals, first } = report;
  const { print } = io;
  const read = together(tables);
  const isWithout = lacksReference(report);
  const stored = read.first === undefined ? '' : `, ${read.first} to ${read.last}`;
  print(CSV_HEADER);
  for (const row of isWithout ? [] : first) print(row);
  if (read.count > SHOWN && !isWithout) print(`... ${counted(read.count - SHOWN, 'point')} more`);
  print(`\n${counted(read.count, 'point')} would be stored${stored}.`);
  if (read.lowestDb <= read.highestDb)
    print(levelsAdvice(report) || `Levels in the file are ${read.lowestDb} to ${read.highestDb} dB.`);
  for (const line of remarksOn({ ...report, refusals: undefined })) print(line);
  const refused = refusals?.count() ?? 0;
  if (refused > 0) print(`${counted(refused, 'line')} would be ${skipBad ? 'skipped' : 'refused'}:`);
  for (const line of refusals?.lines() ?? []) print(line);
  assertReference(report);
  if (refused > 0 && !skipBad)
    throw new BadInput('Nothing would be stored: fix the refused lines, or skip them with --skip-bad');
  await withDatabase(tables, io, async (db) => {
    for (const { name, islands } of tables) {
      const found = await findInIslands(db, islands);
      if (!isSome(found) || mode === 'add') continue;
      if (mode === 'replace') print(`${name} would replace ${pointsText(found)}.`);
      else
        throw new BadInput(
          `${name} would be refused: its time already has ${pointsText(found)}. --replace replaces them, --add keeps both`,
        );
    }
  });
}

function together(tables: readonly ReadTable[]): TableCount {
  const all = noPoints();
  for (const { checked } of tables) {
    addPoints(all, checked);
    all.clipped += checked.clipped;
    all.levelless += checked.levelless;
    all.lowestDb = Math.min(all.lowestDb, checked.lowestDb);
    all.highestDb = Math.max(all.highestDb, checked.highestDb);
  }
  return all;
}
