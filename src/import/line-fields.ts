// Splits the lines of a table into fields: comma-separated values, columns aligned by blanks, or JSON objects.
import { parse } from 'csv-parse/sync';
import { LONGEST_LINE } from '../commands/input-files.ts';
import { namesText } from '../commands/progress.ts';

export interface Shape {
  /** Undefined to detect it from the header or the first line. */
  readonly delimiter: string | undefined;
  readonly skipLines: number;
  /** The beginning of lines to skip. */
  readonly comment: string | undefined;
  /** Whether a quotation mark may appear anywhere, as in `5"`. */
  readonly hasLooseQuotes: boolean;
  /** The names that the header must have; none if columns are chosen by position. */
  readonly names: readonly string[];
}

export interface CutFault {
  readonly fault: string;
  /** Whether no later line can be read either. */
  readonly isFinal?: true;
}
/** The fields of a line, or the fault of a line that cannot be split. */
export type Cut = string[] | CutFault;

const BLANKS = ' ';
const DELIMITERS = ['\t', ';', ',', '|', BLANKS];
/** The header must be within this many lines. */
const HEADER_WITHIN = 100;
/** The extra header lines of InfluxDB's tables. */
const ANNOTATION = /^#(group|datatype|default)\b/;

export function createFieldReader({ delimiter, skipLines, comment, hasLooseQuotes, names }: Shape) {
  const search = createHeaderSearch(names, delimiter === undefined ? DELIMITERS : [delimiter]);
  let cut = delimiter === undefined ? undefined : createCutter(delimiter, hasLooseQuotes);
  let header: readonly string[] | undefined;
  let headerLine = 0;
  let isJson: boolean | undefined;

  const isLeftOut = (line: string, number: number) =>
    number <= skipLines ||
    line === '' ||
    (comment !== undefined && line.startsWith(comment)) ||
    ANNOTATION.test(line);

  /** @returns a fault, `none` for a line outside the table, or undefined for a line to split */
  function beforeCut(line: string, number: number): Cut | 'none' | undefined {
    if (line.includes('\r'))
      return { fault: 'contains a carriage return: save the file with line feeds at the ends of lines' };
    if (line.includes('\0'))
      return { fault: 'contains zero bytes, as left by a power cut: skip such lines with --skip-bad' };
    if (line.length > LONGEST_LINE) return { fault: `is longer than ${LONGEST_LINE} characters` };
    isJson ??= /^\s*[{[]/.test(line);
    if (isJson) {
      const object = objectOf(line, header ? [] : names);
      if ('fault' in object) return object;
      header ??= [...new Set([...names, ...Object.keys(object.value)])];
      return header.map((name) => textOf(object.value[name]));
    }
    const separator = number <= HEADER_WITHIN ? /^sep=(.)$/i.exec(line)?.[1] : undefined;
    if (separator !== undefined) cut ??= createCutter(separator, hasLooseQuotes);
    if (separator !== undefined) return 'none';
    if (names.length === 0 || header) return undefined;
    const found = number <= skipLines + HEADER_WITHIN ? search.look(line, number) : undefined;
    if (!found) return 'none';
    header = found.header;
    headerLine = number;
    cut ??= createCutter(found.delimiter, hasLooseQuotes);
    return 'none';
  }

  return {
    /** @param first the number of the first line, from 1. @returns the fields of each; undefined outside the table */
    read(lines: readonly string[], first: number): (Cut | undefined)[] {
      const result = new Array<Cut | undefined>(lines.length).fill(undefined);
      const whole: { readonly line: string; readonly index: number }[] = [];
      for (const [index, line] of lines.entries()) {
        if (isLeftOut(line, first + index)) continue;
        const before = beforeCut(line, first + index);
        if (before === undefined) whole.push({ line, index });
        else if (before !== 'none') result[index] = before;
      }
      const [next] = whole;
      if (next) cut ??= createCutter(guessDelimiter(next.line), hasLooseQuotes);
      const cuts = cut?.(whole.map(({ line }) => line)) ?? [];
      for (const [at, { index }] of whole.entries()) result[index] = cuts[at];
      return result;
    },
    /** The names of the columns; undefined before the header line, or if the first line may turn out to be a header. */
    header: () => header,
    headerLine: () => headerLine,
    /** The fault if no line was the header, with the line that came nearest. */
    end: () => (names.length === 0 || header ? undefined : search.end()),
  };
}

/** Searches for the line with all names, separated by one of the delimiters. */
function createHeaderSearch(names: readonly string[], delimiters: readonly string[]) {
  let best: { line: number; header: readonly string[]; found: number } | undefined;
  const cutters = delimiters.map((delimiter) => ({ delimiter, cut: createCutter(delimiter, true) }));
  return {
    look(line: string, number: number) {
      for (const { delimiter, cut } of cutters) {
        const [fields] = cut([line]);
        if (!Array.isArray(fields)) continue;
        const header = headerOf(fields);
        const found = names.filter((name) => header.includes(name)).length;
        if (found === names.length) return { header, delimiter };
        const isWider = best?.found === found && header.length > best.header.length;
        if (!best || found > best.found || isWider) best = { line: number, header, found };
      }
      return undefined;
    },
    end() {
      if (!best) return undefined;
      const { line, header } = best;
      const missing = names.find((name) => !header.includes(name));
      return {
        line,
        fault: `the header has no column ${JSON.stringify(missing)}. Choose one of ${namesText(header)}. If the header comes later than in the first ${HEADER_WITHIN} lines, use --skip-lines`,
        isFinal: true as const,
      };
    },
  };
}

/** Some loggers write the header as a comment. */
const headerOf = ([first = '', ...rest]: readonly string[]) =>
  (/^\ufeff?#$/.test(first) ? rest : [first, ...rest]).map((name, index) =>
    (index === 0 ? name.replace(/^[\ufeff]?#\s*/, '') : name).trim(),
  );

/** A tab or semicolon outside quotes is not part of a name, while commas may be decimal commas. */
function guessDelimiter(line: string): string {
  const separates = (delimiter: string) => {
    const [fields] = createCutter(delimiter, true)([line]);
    return Array.isArray(fields) && fields.length > 1;
  };
  return ['\t', ';'].find(separates) ?? ',';
}

/** @returns a function that splits each line into fields; a quoted value ends with its line */
function createCutter(delimiter: string, hasLooseQuotes: boolean): (lines: readonly string[]) => Cut[] {
  const options = {
    delimiter,
    record_delimiter: '\n',
    relax_quotes: hasLooseQuotes,
    relax_column_count: true,
  };
  const bare = (fields: string[]) => (delimiter === BLANKS ? fields.filter((text) => text !== '') : fields);
  const records = (text: string): string[][] | undefined => {
    try {
      return parse(text, options).map(bare);
    } catch {
      return undefined;
    }
  };
  return (lines) => {
    const all = records(`${lines.join('\n')}\n`);
    if (all?.length === lines.length) return all;
    return lines.map((line) => records(`${line}\n`)?.[0] ?? { fault: 'has a stray quotation mark' });
  };
}

function objectOf(
  line: string,
  names: readonly string[],
): CutFault | { readonly value: Record<string, unknown> } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return {
      fault: 'is not a whole JSON object: put each object on a line of its own (jq -c .)',
      isFinal: true,
    };
  }
  if (Array.isArray(value))
    return { fault: "is a JSON array: put each object on a line of its own (jq -c '.[]')", isFinal: true };
  const members = Object.keys(Object(value));
  if (members.length > 0 && names.every((name) => members.includes(name))) return { value: Object(value) };
  return {
    fault: `is a JSON object with the members ${namesText(members)}: name those to read, such as --columns time=ts,level=laeq`,
    isFinal: true,
  };
}

const textOf = (value: unknown) => (value === null || value === undefined ? '' : String(value));
