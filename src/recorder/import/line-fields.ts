// Cuts the lines of a table into their fields: comma-separated values, columns between blanks, or objects of JSON.
import { parse } from 'csv-parse/sync';
import { LONGEST_LINE } from './text-lines.ts';

/** How the lines of a table look. */
export interface Shape {
  /** Undefined: as the header or the first line suggests. */
  readonly delimiter: string | undefined;
  /** How many lines at the beginning are none of the table. */
  readonly skipLines: number;
  /** With what lines begin that are left out. */
  readonly comment: string | undefined;
  /** Whether a quotation mark may stand anywhere, as in `5"`. */
  readonly hasLooseQuotes: boolean;
  /** The names that the header must have; none if columns are chosen by place. */
  readonly names: readonly string[];
}

export interface CutFault {
  readonly fault: string;
  /** Whether nothing after it can be read. */
  readonly isFinal?: true;
}
/** The fields of a line, or what is wrong with one that cannot be cut. */
export type Cut = string[] | CutFault;

export interface FieldReader {
  /**
   * @param first the number of the first line, from 1
   * @returns the fields of each line; undefined for one that is none of the table, such as what is before the header
   */
  read(lines: readonly string[], first: number): (Cut | undefined)[];
  /** The names of the columns; undefined before their line, and if the first line must tell whether it has them. */
  header(): readonly string[] | undefined;
  headerLine(): number;
  /** What is wrong if no line was the header, and the line that comes nearest. */
  end(): (CutFault & { readonly line: number }) | undefined;
}

const BLANKS = ' ';
const DELIMITERS = ['\t', ';', ',', '|', BLANKS];
/** In how many lines the header is looked for, and in how many to name its line. */
const HEADER_WITHIN = 100;
const LOOKED_AT = 100_000;
/** Of InfluxDB's tables, which have several headers. */
const ANNOTATION = /^#(group|datatype|default)\b/;

export function createFieldReader({
  delimiter,
  skipLines,
  comment,
  hasLooseQuotes,
  names,
}: Shape): FieldReader {
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

  /** @returns undefined for a line that is to be cut, and `none` for one that is none of the table */
  function beforeCut(line: string, number: number): Cut | 'none' | undefined {
    if (line.includes('\r'))
      return { fault: 'has a carriage return within: save the file with line feeds at the end of lines' };
    if (line.includes('\0'))
      return {
        fault: 'has zero bytes within, as a power cut leaves them: leave such lines out with --skip-bad',
      };
    if (line.length > LONGEST_LINE) return { fault: `longer than ${LONGEST_LINE} characters` };
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
    const found = search.look(line, number);
    if (!found) return 'none';
    if (number > skipLines + HEADER_WITHIN)
      return {
        fault: `is the header: leave out the lines before it with --skip-lines ${number - 1}`,
        isFinal: true,
      };
    header = found.header;
    headerLine = number;
    cut ??= createCutter(found.delimiter, hasLooseQuotes);
    return 'none';
  }

  return {
    read(lines, first) {
      const result = new Array<Cut | undefined>(lines.length).fill(undefined);
      const whole: { readonly line: string; readonly place: number }[] = [];
      for (const [place, line] of lines.entries()) {
        if (isLeftOut(line, first + place)) continue;
        const before = beforeCut(line, first + place);
        if (before === undefined) whole.push({ line, place });
        else if (before !== 'none') result[place] = before;
      }
      const [next] = whole;
      if (next) cut ??= createCutter(guessDelimiter(next.line), hasLooseQuotes);
      const cuts = cut?.(whole.map(({ line }) => line)) ?? [];
      for (const [at, { place }] of whole.entries()) result[place] = cuts[at];
      return result;
    },
    header: () => header,
    headerLine: () => headerLine,
    end: () => (names.length === 0 || header ? undefined : search.end()),
  };
}

/** Looks for the line that has all names, separated by one of the delimiters. */
function createHeaderSearch(names: readonly string[], delimiters: readonly string[]) {
  let best: { line: number; header: readonly string[]; found: number } | undefined;
  const cutters = delimiters.map((delimiter) => ({ delimiter, cut: createCutter(delimiter, true) }));
  return {
    look(line: string, number: number) {
      for (const { delimiter, cut } of number > LOOKED_AT ? [] : cutters) {
        const [fields] = cut([line]);
        if (!Array.isArray(fields)) continue;
        const header = headerOf(fields);
        const found = names.filter((name) => header.includes(name)).length;
        if (found === names.length) return { header, delimiter };
        const isWider = best?.found === found && header.length > best.header.length;
        const isBetter = !best || found > best.found || (isWider && number <= HEADER_WITHIN);
        if (isBetter) best = { line: number, header, found };
      }
      return undefined;
    },
    end() {
      if (!best) return undefined;
      const { line, header } = best;
      const missing = names.find((name) => !header.includes(name));
      const shown = header.map((column) => JSON.stringify(column)).join(', ');
      return {
        line,
        fault: `no column of the header is ${JSON.stringify(missing)}; they are ${shown.slice(0, 500)}. Name one of these`,
        isFinal: true as const,
      };
    },
  };
}

/** Some write the header as a comment. */
const headerOf = ([first = '', ...rest]: readonly string[]) =>
  (/^\ufeff?#$/.test(first) ? rest : [first, ...rest]).map((name, place) =>
    (place === 0 ? name.replace(/^[\ufeff]?#\s*/, '') : name).trim(),
  );

/** A tab or a semicolon outside quotes is no part of a name, and commas may be those of decimals. */
function guessDelimiter(line: string): string {
  const separates = (delimiter: string) => {
    const [fields] = createCutter(delimiter, true)([line]);
    return Array.isArray(fields) && fields.length > 1;
  };
  return ['\t', ';'].find(separates) ?? ',';
}

/** @returns a function that gives the fields of each line: a quoted value ends with its line */
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
    return lines.map((line) => records(`${line}\n`)?.[0] ?? { fault: 'a stray quotation mark' });
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
      fault: 'no JSON object on one line: put each object on a line of its own (jq -c .)',
      isFinal: true,
    };
  }
  if (Array.isArray(value))
    return { fault: "an array of JSON: put each object on a line of its own (jq -c '.[]')", isFinal: true };
  const members = Object.keys(Object(value));
  if (members.length > 0 && names.every((name) => members.includes(name))) return { value: Object(value) };
  const shown = members.map((name) => JSON.stringify(name)).join(', ');
  return {
    fault: `an object of JSON with the members ${shown.slice(0, 500)}: name those to read, such as --columns time=ts,level=laeq`,
    isFinal: true,
  };
}

const textOf = (value: unknown) => (value === null || value === undefined ? '' : String(value));
