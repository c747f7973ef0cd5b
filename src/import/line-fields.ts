// Splits the lines of a table into fields: comma-separated values, columns aligned by blanks, or members of objects.
import { parse } from 'csv-parse/sync';
import type { LineFault } from '../commands/fault.ts';
import { LONGEST_LINE } from '../commands/input-files.ts';
import { namesText } from '../commands/progress.ts';
import { headerOf, sameName } from './column-choice.ts';
import { BLANKS, DELIMITERS, type Layout } from './import-options.ts';
import { leavesOf, memberFault, memberText, objectReaderFor } from './line-objects.ts';

type Cut = string[] | LineFault;
export const finalFault = (kind: string, fault: string): LineFault => ({ kind, fault, isFinal: true });
const unsplit = (fault: string): LineFault => ({ kind: 'the line cannot be split into columns', fault });

/** The header must be within this many lines. */
const HEADER_WITHIN = 100;
/** The most lines of a quoted value. If it has more, its quotation mark is a stray one. */
const MOST_LINES = 100;
/** The most members of an object to read, beside those that are needed. */
const MOST_LEAVES = 200;
/** The extra header lines of InfluxDB's tables, and the comments of OpenMetrics. */
const ANNOTATION = /^#(?:group|datatype|default| (?:HELP|TYPE|UNIT|EOF))\b/;

/** @param names that the header must have; none if columns are chosen by position */
export function createFieldReader(
  { delimiter, skipLines = 0, comment, spansLines }: Partial<Layout>,
  names: readonly string[] = [],
) {
  const search = createHeaderSearch(names, delimiter === undefined ? DELIMITERS : [delimiter]);
  const spanAt = createRowSpan(delimiter ?? '\t;,|');
  let cut = delimiter === undefined ? undefined : createCutter(delimiter);
  let header: readonly string[] | undefined;
  let headerLine = 0;
  /** How many lines have been read. */
  let count = 0;
  let readObject: ReturnType<typeof objectReaderFor>;
  let held: readonly string[] = [];

  const isLeftOut = (line: string, number: number) =>
    number <= skipLines ||
    line === '' ||
    (comment !== undefined && line.startsWith(comment)) ||
    ANNOTATION.test(line);

  /** @returns the members or the fault, `none` for a line outside the table, or undefined for a line to split */
  function beforeCut(
    line: string,
    number: number,
    texts: readonly string[],
    index: number,
  ): Cut | 'none' | undefined {
    if (line.includes('\r'))
      return unsplit('contains a carriage return: save the file with line feeds at the ends of lines');
    if (line.includes('\0'))
      return unsplit('contains zero bytes, as left by a power cut: skip such lines with --skip-bad');
    if (line.length > LONGEST_LINE) return unsplit(`is longer than ${LONGEST_LINE} characters`);
    if (!header && !cut) readObject = objectReaderFor(line, names);
    if (readObject) {
      const object = readObject(line);
      if ('fault' in object) return { ...unsplit(object.fault), ...(!header && { isFinal: true }) };
      header ??= membersOf(object.value);
      return header.map((name) => memberText(object.value, name));
    }
    const separator = number <= skipLines + HEADER_WITHIN ? /^sep=(.)$/i.exec(line)?.[1] : undefined;
    if (separator !== undefined) cut ??= createCutter(separator);
    if (separator !== undefined) return 'none';
    if (names.length === 0) cut ??= createCutter(guessDelimiter(texts.slice(index, index + HEADER_WITHIN)));
    if (names.length === 0 || header) return undefined;
    const found = number <= skipLines + HEADER_WITHIN ? search.look(line, number) : undefined;
    if (!found) return 'none';
    header = found.header;
    headerLine = number;
    cut ??= createCutter(found.delimiter);
    return 'none';
  }

  function membersOf(object: object): string[] {
    const leaves = leavesOf(object).slice(0, MOST_LEAVES);
    return [...new Set([...names.map((name) => leaves.find(sameName(name)) ?? name), ...leaves])];
  }

  return {
    /**
     * Holds back the last lines until the next call if a quoted value may go on.
     *
     * @param lines none at the end of the table
     * @returns the faults of lines, and what `readOne` makes of the others unless that is undefined
     */
    read<One>(
      lines: readonly string[],
      readOne: (fields: string[], text: string, line: number) => One | undefined,
    ): { readonly line: number; readonly read: One | LineFault }[] {
      const first = count + 1;
      const texts = held.length > 0 ? [...held, ...lines] : lines;
      const rows: { line: number; row: string; before: Cut | undefined }[] = [];
      let index = 0;
      while (index < texts.length) {
        const line = texts[index] ?? '';
        const isOut = isLeftOut(line, first + index);
        const span = isOut || !spansLines || readObject ? 1 : spanAt(texts, index, lines.length === 0);
        if (span === undefined) break;
        const row = span === 1 ? line : texts.slice(index, index + span).join('\n');
        const before = isOut ? 'none' : beforeCut(row, first + index, texts, index);
        if (before !== 'none') rows.push({ line: first + index, row, before });
        index += span;
      }
      held = texts.slice(index);
      count += index;
      const found = cut?.(rows.filter(({ before }) => !before).map(({ row }) => row)) ?? [];
      // some loggers write the header as a comment, while # may also be the name of a column
      const width = header?.[0] === '#' ? found.find((one) => Array.isArray(one))?.length : undefined;
      if (header && width !== undefined && width < header.length) header = header.slice(1);
      const cuts = found.values();
      const reads: { line: number; read: One | LineFault }[] = [];
      for (const { line, row, before } of rows) {
        const one = before ?? cuts.next().value;
        const read = Array.isArray(one) ? readOne(one, row, line) : one;
        if (read !== undefined) reads.push({ line, read });
      }
      return reads;
    },
    /** The names of the columns; undefined before the header line, or if the first line may turn out to be a header. */
    header: () => header,
    headerLine: () => headerLine,
    areObjects: () => readObject !== undefined,
    /** @param text an object with an empty text at the index. @returns why, unless its member is null or not needed */
    memberFault(text: string, index: number, isNeeded: boolean) {
      const object = readObject?.(text);
      const name = header?.[index];
      return object && 'value' in object && name !== undefined
        ? memberFault(object.value, name, isNeeded, names)
        : undefined;
    },
    /** The line that came nearest to the header, and its fault; undefined if there was a header. */
    end: () => (names.length === 0 || header ? undefined : search.end()),
  };
}

/** Searches for the line with all names, separated by one of the delimiters. */
function createHeaderSearch(names: readonly string[], delimiters: readonly string[]) {
  let best: { line: number; header: readonly string[]; found: number } | undefined;
  const cutters = delimiters.map((delimiter) => ({ delimiter, cut: createCutter(delimiter) }));
  return {
    look(line: string, number: number) {
      let isSplit = false;
      for (const { delimiter, cut } of cutters) {
        const [fields] = cut([line]);
        if (!Array.isArray(fields) || (isSplit && delimiter === BLANKS)) continue;
        isSplit ||= fields.length > 1;
        const header = headerOf(fields);
        const found = names.filter((name) => header.some(sameName(name))).length;
        if (found === names.length) return { header, delimiter };
        const isWider = best?.found === found && header.length > best.header.length;
        if (!best || found > best.found || isWider) best = { line: number, header, found };
      }
      return undefined;
    },
    end() {
      if (!best) return undefined;
      const { line, header } = best;
      const missing = names.find((name) => !header.some(sameName(name)));
      const fault = `the header has no column ${JSON.stringify(missing)}. Choose one of ${namesText(header)}. If the header comes later than in the first ${HEADER_WITHIN} lines, use --skip-lines${/[^\0-\x7f]/.test(header.join()) ? '; if its letters are wrong, --encoding' : ''}`;
      return { line, read: finalFault('the header lacks a column', fault) };
    },
  };
}

/** A tab or semicolon outside quotes is not part of a name, while commas may be decimal commas. */
function guessDelimiter(lines: readonly string[]): string {
  const separates = (delimiter: string, line: string) => {
    const [fields] = createCutter(delimiter)([line]);
    return delimiter !== BLANKS && Array.isArray(fields) && fields.length > 1;
  };
  const first = lines.find((line) => DELIMITERS.some((one) => separates(one, line))) ?? '';
  return DELIMITERS.find((one) => separates(one, first)) ?? ',';
}

/** Splits rows into fields; a row may have line breaks only within quoted values. */
function createCutter(delimiter: string) {
  const options = {
    delimiter,
    record_delimiter: '\n',
    relax_quotes: true, // a quotation mark may appear anywhere, as in 5"
    relax_column_count: true,
  };
  const bare = (fields: string[]) => (delimiter === BLANKS ? fields.filter((text) => text !== '') : fields);
  const records = (rows: readonly string[]): string[][] | undefined => {
    try {
      const all = parse(`${rows.join('\n')}\n`, options).map(bare);
      return all.length === rows.length ? all : undefined;
    } catch {
      return undefined;
    }
  };
  return (rows: readonly string[]): Cut[] =>
    records(rows) ?? rows.map((row) => records([row])?.[0] ?? STRAY_QUOTE);
}

const STRAY_QUOTE = unsplit(
  'has a stray quotation mark, which begins a value that does not end: remove it, or skip the line with --skip-bad',
);

/**
 * Finds how many lines a row has, because its quoted values may have line breaks.
 *
 * @param edges the characters that may separate values
 * @returns a function that returns undefined if that depends on lines to come
 */
function createRowSpan(edges: string) {
  const quoted = '"[^"]*(?:""[^"]*)*"';
  const value = `(?:${quoted}(?=[${edges}\n]|$)|[^${edges}\n]*)`;
  const row = new RegExp(`^${value}(?:[${edges}]${value})*`);
  const edge = new RegExp(`[${edges}]`);
  const opening = new RegExp(`(?:^|${edge.source})"`);
  const width = (text: string) => text.split(edge).length;

  return (lines: readonly string[], start: number, isEnd: boolean): number | undefined => {
    const line = lines[start] ?? '';
    if (line.split('"').length % 2 === 1 || !opening.test(line)) return 1;
    if (start + MOST_LINES > lines.length && !isEnd) return undefined;
    const text = lines.slice(start, start + MOST_LINES).join('\n');
    const [found = ''] = row.exec(text.slice(0, LONGEST_LINE + 1)) ?? [];
    const [first = '', ...others] = found.split('\n');
    // a line that could be a row is one: a stray quotation mark must not swallow it
    const whole = width(found.replaceAll(new RegExp(quoted, 'g'), ''));
    const within = /^"[^"]*(?:""[^"]*)*$/.test(first) ? others.slice(0, -1) : others;
    const isRow = within.every((line) => width(line.replaceAll('"', '')) < whole);
    return isRow && found.length <= LONGEST_LINE ? 1 + others.length : 1;
  };
}
