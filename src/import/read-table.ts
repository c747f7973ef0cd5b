// Reads a whole table in constant memory: yields its rows, counts them, and collects refused lines.
import { type LineFault, messageOfFault } from '../commands/fault.ts';
import { BadInput, interrupted, linesOf, type RereadableFile } from '../commands/input-files.ts';
import type { PointCount } from '../commands/progress.ts';
import type { TimeCheck } from '../commands/times/time-check.ts';
import type { TimeReader } from '../commands/times/time-format.ts';
import { CSV_HEADER } from '../contract/point.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { createHold } from './hold.ts';
import type { ImportOptions } from './import-options.ts';
import { createLineReader } from './line-reader.ts';
import { openTable, type Table } from './open-table.ts';
import type { Refusals } from './refusals.ts';
import type { Repeats } from './repeats.ts';
import type { TableSurvey } from './table-survey.ts';

/** If this many lines before the first point are refused for one reason, the options do not fit the table. */
const SAME_FAULTS = 1000;

export interface Reader extends Pick<ImportOptions, 'layout'> {
  readonly times: TimeReader | undefined;
  readonly check: TimeCheck | undefined;
  /** The reference of an export with sound pressure levels; null if it is not known. */
  readonly referenceDb?: number | null;
  /** Collects refused lines; if undefined, the first one ends the reading. */
  readonly refusals: Refusals | undefined;
  /** Counts the rows, and is complete at the end. */
  readonly survey: TableSurvey;
  /** On the second reading, the points of the first one. */
  readonly checked?: PointCount;
  /** Finds rows in time that this table or one before it already has. */
  readonly repeats: Repeats | undefined;
  isLeftOut?(time: string): boolean;
  show(done: readonly [bytes: number, ofBytes: number], points: number): void;
}

/**
 * Accepts LF and CRLF, a byte order mark, quoted values, empty lines and a missing last line break.
 *
 * @throws BadInput with the first faulty line, and what is allowed there
 */
export async function* readTable(
  file: RereadableFile,
  reader: Reader,
  { signal }: Pick<RecorderIo, 'signal'>,
): AsyncGenerator<string> {
  try {
    if (signal.aborted) throw interrupted();
    await using table = await openTable(file.path, signal);
    yield* rowsOf(table, file, reader, signal);
    const { survey, checked = survey } = reader;
    const isOther = (['count', 'first', 'last'] as const).some((key) => survey[key] !== checked[key]);
    // a log that is still being written, whose last line may be cut
    if (isOther || (await table.hasChanged()))
      throw new BadInput(`${file.name} changed while it was read: import a copy of it`);
  } catch (error) {
    throw signal.aborted ? interrupted() : error;
  }
}

async function* rowsOf(
  table: Table,
  { name }: RereadableFile,
  { layout, times, check, referenceDb, refusals, survey, repeats, isLeftOut, show }: Reader,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const read = createLineReader(layout, check, times, referenceDb);
  const hold = layout?.hold && createHold(layout.hold);
  const refuse = createRefuser(name, refusals, survey);
  let isEmpty = true;
  for await (const lines of linesOf(table.bytes, signal, layout?.encoding ?? table.encoding)) {
    const rows: string[] = [];
    for (const { line, read: of } of read(lines)) {
      if ('givenDb' in of && of.givenDb !== undefined) survey.addLevel(of.givenDb);
      if ('note' in of) survey.notes.push(`${name}, line ${line}: ${of.note}`);
      if ('fault' in of) refuse(of, line);
      if (!('row' in of) || isLeftOut?.(of.time)) continue;
      const ms = Date.parse(of.time);
      if (repeats?.add(of, ms, name, line)) continue;
      for (const row of hold?.(of.time, of.row) ?? []) addRow(row, row.slice(0, of.time.length));
      addRow(of.row, of.time, ms, of.isClipped);
      function addRow(row: string, time: string, ms = Date.parse(time), isClipped = false): void {
        rows.push(row);
        survey.add(time, ms, line);
        if (isClipped) survey.clipped += 1;
        if (row.startsWith(',,', time.length)) survey.levelless += 1;
      }
    }
    isEmpty &&= lines.every((text) => text === '');
    if (rows.length > 0) yield `${rows.join('\n')}\n`;
    show(table.done(), survey.count);
  }
  if (isEmpty)
    throw new BadInput(
      `${name} is empty; its first line must be the header ${layout ? 'that --columns describes' : CSV_HEADER}`,
    );
}

/** @throws BadInput for a refused line if refusals are not collected, or if the options do not fit the table at all */
function createRefuser(name: string, refusals: Refusals | undefined, read: PointCount) {
  let alike = { kind: '', count: 0 };
  return (fault: LineFault, line: number): void => {
    if (!refusals || fault.isFinal) throw new BadInput(`${name}, line ${line}: ${messageOfFault(fault)}`);
    refusals.add(fault, name, line);
    alike = { kind: fault.kind, count: fault.kind === alike.kind ? alike.count + 1 : 1 };
    if (read.count === 0 && alike.count === SAME_FAULTS)
      throw new BadInput(
        `${name}: the first ${SAME_FAULTS.toLocaleString('en')} lines all have the same fault, such as line ${line}: ${refusals.message(fault)}`,
      );
  };
}
