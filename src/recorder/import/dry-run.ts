// Says what came of reading tables: what was left out or changed, and in a dry run what would be stored.
import { CSV_HEADER, FLOOR_DB } from '../../contract/point.ts';
import { BadInput } from '../bad-input.ts';
import type { RecorderIo } from '../recorder-io.ts';
import type { TableCount } from './read-table.ts';
import type { Refusals } from './refusals.ts';

/** How many rows are shown. */
const SHOWN = 5;

export interface TableReport {
  readonly counts: readonly TableCount[];
  readonly refusals: Refusals | undefined;
  /** How many times came twice in the zone. */
  readonly repeated: number;
  readonly zone: string | undefined;
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`;

/** What the user should know of the points that are stored. */
export function remarksOn({ counts, refusals, repeated, zone }: TableReport): string[] {
  const { clipped } = together(counts);
  const lines: string[] = [];
  if (repeated > 0)
    lines.push(
      `${counted(repeated, 'time')} came in an hour that comes twice in ${zone}: read in the order of the lines.`,
    );
  if (clipped > 0)
    lines.push(`Clipped ${counted(clipped, 'point')}: a value was out of range, and its end is stored.`);
  if (refusals && refusals.count() > 0)
    lines.push(`Skipped ${counted(refusals.count(), 'line')}:`, ...refusals.lines());
  return lines;
}

/**
 * @param first the rows that would be stored first
 * @throws BadInput where a line would be refused
 */
export function showDryRun(
  report: TableReport & { first: readonly string[]; skipsBad: boolean; offsetDb: number },
  { print }: Pick<RecorderIo, 'print'>,
): void {
  const { counts, refusals, first, skipsBad, offsetDb } = report;
  const read = together(counts);
  const stored = read.first === undefined ? '' : `, ${read.first} to ${read.last}`;
  print(CSV_HEADER);
  for (const row of first.slice(0, SHOWN)) print(row);
  if (read.count > SHOWN) print(`... ${counted(read.count - SHOWN, 'point')} more`);
  print(`\n${counted(read.count, 'point')} would be stored${stored}.`);
  const levels = levelLine(read, offsetDb);
  if (levels) print(levels);
  for (const line of remarksOn({ ...report, refusals: undefined })) print(line);
  const refused = refusals?.count() ?? 0;
  if (refused === 0) return;
  print(`${counted(refused, 'line')} would be ${skipsBad ? 'skipped' : 'refused'}:`);
  for (const line of refusals?.lines() ?? []) print(line);
  if (!skipsBad) throw new BadInput('Nothing would be stored: mend what is refused, or add --skip-bad');
}

/** The levels of the file, and what to add to them where not all can be stored. */
function levelLine({ lowestDb, highestDb }: TableCount, offsetDb: number): string | undefined {
  if (lowestDb === undefined || highestDb === undefined) return undefined;
  const range = `Levels in the file are ${lowestDb} to ${highestDb}`;
  if (highestDb + offsetDb <= 0 && lowestDb + offsetDb >= FLOOR_DB) return `${range}.`;
  const fitting = -5 * Math.ceil(highestDb / 5);
  const clip =
    lowestDb + fitting < FLOOR_DB
      ? ` with --clip stores those below ${FLOOR_DB - fitting} as ${FLOOR_DB - fitting}`
      : ' stores all of them';
  return `${range}: --offset-db ${fitting}${clip}.`;
}

function together(counts: readonly TableCount[]): TableCount {
  const all: TableCount = { count: 0, clipped: 0 };
  for (const { count, clipped, first, last, lowestDb, highestDb } of counts) {
    all.count += count;
    all.clipped += clipped;
    if (first !== undefined && !(all.first !== undefined && all.first <= first)) all.first = first;
    if (last !== undefined && !(all.last !== undefined && all.last >= last)) all.last = last;
    if (lowestDb !== undefined) all.lowestDb = Math.min(lowestDb, all.lowestDb ?? lowestDb);
    if (highestDb !== undefined) all.highestDb = Math.max(highestDb, all.highestDb ?? highestDb);
  }
  return all;
}

export function firstRows() {
  const rows: string[] = [];
  return {
    rows,
    add(text: string) {
      if (rows.length < SHOWN)
        rows.push(...text.split('\n', SHOWN - rows.length).filter((row) => row !== ''));
    },
  };
}
