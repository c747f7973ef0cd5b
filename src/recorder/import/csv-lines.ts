// Parses the lines of a table: how csv-parse is told what they look like.
import { CsvError, type Options } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import type { Layout } from './import-options.ts';
import type { LineFault } from './line-reader.ts';

export const LONGEST_LINE = 4096;

/** @param head the first lines, by which the delimiter is guessed where none was told */
export function parserOptions(layout: Layout | undefined, head: string): Options {
  const always: Options = {
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true, // whoever reads the fields reports a wrong count
    record_delimiter: ['\r\n', '\n'],
    max_record_size: LONGEST_LINE,
  };
  if (!layout) return always;
  const { delimiter = guessDelimiter(head, layout), skipLines, comment } = layout;
  return {
    ...always,
    delimiter,
    from_line: skipLines + 1,
    relax_quotes: true,
    ...(comment !== undefined && { comment, comment_no_infix: true }),
  };
}

/** A tab or a semicolon in the first line is no part of a name, and commas may be those of decimals. */
function guessDelimiter(head: string, { skipLines, comment }: Layout): string {
  const first = head
    .split('\n')
    .slice(skipLines)
    .find((line) => line.trim() !== '' && !(comment !== undefined && line.startsWith(comment)));
  return ['\t', ';'].find((delimiter) => first?.includes(delimiter)) ?? ',';
}

export function csvFault({ code }: CsvError): string {
  return code === 'CSV_MAX_RECORD_SIZE' ? `longer than ${LONGEST_LINE} characters` : 'a stray quotation mark';
}

/** @returns a function that gives the fields of one line; undefined where it has none, as a comment */
export function createFieldReader(layout: Layout | undefined) {
  let options: Options | undefined;
  return (text: string, line: number): string[] | LineFault | undefined => {
    if (line <= (layout?.skipLines ?? 0)) return undefined;
    const tried = options ?? parserOptions(layout && { ...layout, skipLines: 0 }, text);
    try {
      const [fields] = parse(text, tried);
      if (fields) options = tried;
      return fields;
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      return { kind: csvFault(error), fault: csvFault(error) };
    }
  };
}
