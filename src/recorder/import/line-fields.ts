// Cuts a line of a table into its fields, which may be quoted (RFC 4180, but a value ends with its line).

export const LONGEST_LINE = 4096;

/** How the lines of a table look. */
export interface Shape {
  /** Undefined: as the first line suggests. */
  readonly delimiter: string | undefined;
  /** How many lines at the beginning are none of the table. */
  readonly skipLines: number;
  /** With what lines begin that are left out. */
  readonly comment: string | undefined;
  /** Whether a quotation mark may stand anywhere, as in `5"`. */
  readonly hasLooseQuotes: boolean;
}

/** What is wrong with a line that cannot be cut. */
interface Uncut {
  readonly fault: string;
}

/** @returns a function that gives the fields of a line; undefined for one that is empty or left out */
export function createFieldReader({ delimiter, skipLines, comment, hasLooseQuotes }: Shape) {
  let split = delimiter === undefined ? undefined : createSplitter(delimiter, hasLooseQuotes);
  return (line: string, number: number): string[] | Uncut | undefined => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (number <= skipLines || text === '') return undefined;
    if (comment !== undefined && text.startsWith(comment)) return undefined;
    if (text.includes('\r'))
      return { fault: 'has a carriage return within: save the file with line feeds at the end of lines' };
    if (text.length > LONGEST_LINE) return { fault: `longer than ${LONGEST_LINE} characters` };
    split ??= createSplitter(guessDelimiter(text), hasLooseQuotes);
    return split(text) ?? { fault: 'a stray quotation mark' };
  };
}

/** A tab or a semicolon outside quotes is no part of a name, and commas may be those of decimals. */
function guessDelimiter(line: string): string {
  const separates = (delimiter: string) => (createSplitter(delimiter, true)(line)?.length ?? 0) > 1;
  return ['\t', ';'].find(separates) ?? ',';
}

/** @returns a function that gives undefined for a line with a quotation mark that may not be where it is */
function createSplitter(delimiter: string, hasLooseQuotes: boolean): (line: string) => string[] | undefined {
  const end = `(?:[${delimiter}]|$)`;
  const plain = hasLooseQuotes ? `[^${delimiter}]*` : `[^${delimiter}"]*`;
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|(${plain}))${end}`, 'y');
  return (line) => {
    if (!line.includes('"')) return line.split(delimiter);
    const fields: string[] = [];
    field.lastIndex = 0;
    for (;;) {
      const match = field.exec(line);
      if (!match) return undefined;
      const [all, quoted, bare = ''] = match;
      fields.push(quoted?.replaceAll('""', '"') ?? bare);
      if (!all.endsWith(delimiter)) return fields;
    }
  };
}
