// Finds the lines that belong to one row, because a quoted value has line breaks.
import { LONGEST_LINE } from '../commands/input-files.ts';

/** The most lines of a quoted value. If it has more, its quotation mark is a stray one. */
const MOST_LINES = 100;

/** @param delimiters the characters that may separate values */
export function createQuotedLines(delimiters: string) {
  const edge = `[${delimiters}]`;
  const closed = new RegExp(`(?<=^|${edge})"(?:[^"]|"")*"(?=${edge}|$)`, 'g');
  const open = new RegExp(`(?<=^|${edge})"(?:[^"]|"")*$`);
  const isOpen = (text: string) => hasOddQuotes(text) && open.test(text.replace(closed, ''));
  return {
    /** @returns how many lines the row at `start` has; undefined if that depends on lines to come */
    span(lines: readonly string[], start: number): number | undefined {
      let length = lines[start]?.length ?? 0;
      if (!isOpen(lines[start] ?? '')) return 1;
      for (let end = start + 1; end < start + MOST_LINES && length <= LONGEST_LINE; end++) {
        const line = lines[end];
        if (line === undefined) return undefined;
        length += line.length + 1;
        const [value] = /^(?:[^"]|"")*"(?!")/.exec(line) ?? [];
        if (value === undefined) continue;
        const rest = line.slice(value.length);
        if (rest !== '' && !delimiters.includes(rest.charAt(0))) return 1;
        if (!isOpen(rest)) return end + 1 - start;
      }
      return 1;
    },
  };
}

function hasOddQuotes(text: string): boolean {
  let isOdd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}
