// Reads the lines of a table: returns rows to store, or faults.
import type { LineFault } from '../commands/fault.ts';
import { counted, namesText, shellText } from '../commands/progress.ts';
import { zoneInName } from '../commands/times/clock-fields.ts';
import type { TimeCheck } from '../commands/times/time-check.ts';
import { createTimeReader, type TimeReader } from '../commands/times/time-format.ts';
import {
  type ColumnIndexes,
  type Field,
  headerOf,
  joinedTime,
  readLaterHeader,
  sameName,
} from './column-choice.ts';
import { createExportReader } from './export-reader.ts';
import type { Layout } from './import-options.ts';
import { createFieldReader, finalFault } from './line-fields.ts';
import { NAME_MEMBERS } from './line-objects.ts';
import { createValueReader, isNumber, readSilence } from './line-values.ts';

export interface LineRow {
  readonly row: string;
  readonly time: string;
  readonly isClipped?: boolean;
  /** The level in the line, before any offset. */
  readonly givenDb?: number | undefined;
  /** All fields of another logger's line. */
  readonly fields?: readonly string[];
  /** The columns that are neither read nor selected. Without a header, names count from 1. */
  readonly unread?: readonly { readonly name: string; readonly index: number }[] | undefined;
}

/** What a line is: a row to store, a fault, or not a point but worth telling. */
type Read = LineRow | LineFault | { readonly note: string };
/** A line with the value of the column that names its station, if there is one. */
export interface LineRead {
  /** Counted from 1. */
  readonly line: number;
  readonly read: Read & { readonly of?: string | undefined };
}

/**
 * May hold back the last lines until the next call.
 *
 * @param lines none at the end of the table: the last fault is then that of the table as a whole, if it has one
 * @returns the lines that are points or faults
 */
export type ReadLines = (lines: readonly string[]) => LineRead[];

/** How many lines before the first point may be headers, units or messages. */
const HEAD_LINES = 100;

/**
 * @param layout undefined for files from export.csv
 * @param check refuses instants
 * @param times may have read other tables of the same log
 * @param referenceDb of an export with sound pressure levels
 */
export const createLineReader = (
  layout: Layout | undefined,
  check?: TimeCheck,
  times: Pick<TimeReader, 'read'> | undefined = layout &&
    createTimeReader(layout.timeFormat, { ...layout, check }),
  referenceDb?: number | null,
): ReadLines =>
  layout && times ? createForeignReader(layout, times) : createExportReader(check, referenceDb);

/** Before the first point, lines with neither a time nor a number are the header, or units below it. */
function createForeignReader(layout: Layout, times: Pick<TimeReader, 'read'>): ReadLines {
  const { columns, where, by, skipLines = 0 } = layout;
  const names = columns.by === 'name' ? [...columns.names.values(), ...where.map(({ name }) => name)] : [];
  const fieldReader = createFieldReader(layout, names);
  const values = createValueReader(layout);
  let at: ColumnIndexes = columns.by === 'position' ? columns.indexes : new Map();
  let selected: { name: string; index: number; values: readonly string[] }[] | undefined;
  let unread: LineRow['unread'];
  /** The zone in the name of the time's column. */
  let zone: string | undefined;
  let hasPoint = false;
  /** The faults of lines before the first point. */
  const before: LineRead[] = [];
  /** The header; without chosen names, all lines that may be it. */
  let heads: (readonly string[])[] = [];
  /** The names above the present rows, and where these rows have the columns of the first header. */
  let above: { readonly names: readonly string[]; readonly order?: readonly number[] } | undefined;

  const header = () => heads.at(-1) ?? fieldReader.header();
  const selecting = () => (selected ?? []).map(({ index }) => index);

  /** Finds the columns. @returns the fault of the header, if any */
  function begin(): LineFault | undefined {
    const head = header();
    const placesOf = (name: string) => (head ?? []).flatMap((own, at) => (sameName(name)(own) ? [at] : []));
    if (columns.by === 'name' && head) {
      const twice = [...columns.names.values()].find((name) => placesOf(name).length > 1);
      if (twice !== undefined)
        return finalFault(
          'the header has a name twice',
          `the header has several columns ${JSON.stringify(twice)}: choose by position, such as --columns time,-,level`,
        );
      at = new Map(Array.from(columns.names, ([field, name]) => [field, placesOf(name)[0] ?? -1]));
      heads = [head];
    }
    const chosen = where.map(({ name, values }) => {
      const number = /^[1-9]\d{0,3}$/.test(name) ? Number(name) : 0;
      return { name, values, index: placesOf(name)[0] ?? number - 1 };
    });
    const missing = chosen.find(({ index }) => index < 0);
    if (missing)
      return finalFault(
        'there is no such column',
        `${missing.name === by ? '--station-by' : '--where'}: there is no column ${JSON.stringify(missing.name)}; give ${
          head ? `one of ${namesText(head)}` : 'its number, such as 3=dBA, since the table has no header'
        }`,
      );
    selected = chosen;
    return undefined;
  }

  function unreadOf(fields: readonly string[]): LineRow['unread'] {
    const known = [...at.values(), ...selecting()];
    const columns = fields.map((_, index) => ({ index, name: header()?.[index] || String(index + 1) }));
    return columns.filter(({ index }) => !known.includes(index));
  }

  const isWanted = (cut: readonly string[]) =>
    (selected ?? []).every(
      ({ index, values }) => values.includes('*') || values.includes(cut[index]?.trim() ?? ''),
    );

  function readOne(given: readonly string[], line: string, number: number): LineRead['read'] | undefined {
    if (given.every((text) => text.trim() === '') && !fieldReader.areObjects()) return undefined;
    const wrong = columns.by === 'name' && !selected ? begin() : undefined;
    if (wrong) return wrong;
    const cut = above?.order ? above.order.map((index) => given[index] ?? '') : given;
    const row = readRow(given, cut, line, number);
    const station = by === undefined ? undefined : selected?.findLast(({ name }) => name === by);
    const read = row && station ? { ...row, of: cut[station.index]?.trim() ?? '' } : row;
    return !read || 'fault' in read ? laterHeader(given, read) : read;
  }

  /** Reads a header that comes again, as in joined files. @returns `otherwise` for any other line */
  function laterHeader<Other>(given: readonly string[], otherwise: Other) {
    const order = above?.order;
    const needed = [...at.values(), ...selecting()];
    for (const head of heads) {
      if (!order && isSame(given, head)) return undefined;
      const found = readLaterHeader(given, head, at.get('time') ?? -1, needed);
      if (!found || (columns.by === 'position' && ('missing' in found || !hasPoint))) continue;
      if ('missing' in found)
        return finalFault(
          'the header lacks a column',
          `is a second header, without the column ${JSON.stringify(found.missing)}: import the lines before it and those from it on as two files`,
        );
      const isMoved = needed.some((index) => found.order[index] !== (order?.[index] ?? index));
      if (isMoved && columns.by === 'position')
        return finalFault(
          'the columns are in another order',
          `is a second header, with the columns in another order: choose them by name, --columns ${shellText(Array.from(at, ([field, index]) => `${field}=${head[index]}`).join())}`,
        );
      above = { names: headerOf(given), ...(isMoved ? found : order && { order }) };
      return isMoved ? { note: 'is a second header, with the columns in another order' } : undefined;
    }
    return otherwise;
  }

  function readRow(given: readonly string[], cut: readonly string[], line: string, number: number) {
    const head = header();
    const { names = head, order } = above ?? {};
    const needed = Math.max(...[...at.values()].map((index) => order?.[index] ?? index)) + 1;
    if (given.length < needed) return tooFew(given.length, needed);
    const named = (names?.findLastIndex((name) => name !== '') ?? given.length) + 1;
    if (given.slice(named).some((text, index) => isExtra(text.trim(), names?.[named + index] !== undefined)))
      return tooMany(given.length, named);
    if (columns.by === 'position' && columns.count === needed && given.length > needed && !head) {
      const last = given.slice(needed - 1, needed + 1).join();
      if (DECIMAL_COMMA.test(last) && line.includes(last)) return ambiguous(last);
    }
    const lacking = (index: number, isNeeded: boolean) =>
      cut[index] === '' ? fieldReader.memberFault(line, index, isNeeded) : undefined;
    for (const { index } of selected ?? []) {
      const fault = lacking(index, true);
      if (fault) return fault;
    }
    if (!isWanted(cut)) return undefined;
    for (const [field, index] of at) {
      const fault = lacking(index, field !== 'freq' && field !== 'silence');
      if (fault) return fault;
    }
    const textOf = (field: Field) => cut[at.get(field) ?? -1]?.trim() ?? '';
    if (!hasPoint) zone = zoneInName(head?.[at.get('time') ?? -1] ?? '');
    const time = times.read(joinedTime(at, textOf), textOf('millis'), zone);
    if (typeof time !== 'string') {
      const isHead = time.isNoTime && !hasPoint && number <= skipLines + HEAD_LINES && !hasNumber(cut, at);
      if (isHead && fieldReader.areObjects())
        return finalFault(
          'the columns have names',
          `has the members ${namesText(head ?? [])}: ${NAME_MEMBERS}`,
        );
      if (isHead && columns.by === 'position') heads.push(cut.map((text) => text.trim()));
      if (isHead) return void before.push({ line: number, read: { ...time, isFinal: true } });
      // even if no time can be read, the range of levels can be reported
      const { givenDb } = hasPoint ? {} : values.level(textOf('level'));
      return givenDb === undefined ? time : { ...time, givenDb };
    }
    const late = selected ? undefined : begin();
    if (late) return late;
    hasPoint = true;
    if (!isWanted(cut)) return undefined; // again, since begin() has found the columns
    return readValues(time, textOf, cut);
  }

  function readValues(
    time: string,
    textOf: (field: Field) => string,
    fields: readonly string[],
  ): LineRow | LineFault {
    unread ??= unreadOf(fields);
    const level = values.level(textOf('level'));
    if ('fault' in level) return level;
    const hertz = values.hertz(textOf('freq'));
    if ('fault' in hertz) return hertz;
    const silence = at.has('silence') ? readSilence(textOf('silence')) : { text: 'false' };
    if ('fault' in silence) return silence;
    return {
      row: `${time},${level.text},${hertz.text},${silence.text}`,
      time,
      isClipped: level.isClipped === true || hertz.isClipped === true,
      givenDb: level.givenDb,
      fields,
      unread,
    };
  }

  function faultAtEnd(): LineRead | undefined {
    const unfound = fieldReader.end();
    if (unfound) return unfound;
    const late = columns.by === 'name' && !selected ? begin() : undefined;
    if (late) return { line: fieldReader.headerLine(), read: late };
    return hasPoint ? undefined : before[1]; // the first one may be a header or units
  }

  return (lines) => {
    const reads: LineRead[] = fieldReader.read(lines, readOne);
    const end = lines.length === 0 ? faultAtEnd() : undefined;
    return end ? [...reads, end] : reads;
  };
}

const hasNumber = (fields: readonly string[], at: ColumnIndexes) =>
  [...at.values()].some((index) => isNumber(fields[index]?.trim() ?? ''));

const isSame = (fields: readonly string[], header: readonly string[]) =>
  fields.length === header.length && fields.every((text, index) => text.trim() === header[index]);

/** Two fields that may be one number, in a table with commas and no header. */
const DECIMAL_COMMA = /^\s*-?\d+,\d+\s*$/;

const ambiguous = (text: string): LineFault => ({
  kind: 'a number may have a decimal comma',
  fault: `${JSON.stringify(text.trim())} may be one number or two columns. For one, separate columns by semicolons; for two, add ,- to --columns`,
});

/** Numbers without a name may be behind a decimal comma. */
const isExtra = (text: string, isInHeader: boolean) => text !== '' && (!isInHeader || isNumber(text));

const tooMany = (count: number, names: number): LineFault => ({
  kind: 'there are more columns than names in the header',
  fault: `has ${count} columns, but the header has ${names} names. If there are decimal commas, export the file with another delimiter; otherwise choose columns by position, and skip the header with --skip-lines`,
});

const tooFew = (count: number, needed: number): LineFault => ({
  kind: 'there are too few columns',
  fault: `has ${counted(count, 'column')}, but --columns reads ${needed}: set --delimiter (space for columns aligned by blanks), or skip such lines with --skip-bad`,
});
