// Finds the lines that belong to one row, because a quoted value has line breaks.
import { LONGEST_LINE } from '../commands/input-files.ts';

/** The most lines of a quoted value. If it has more, its quotation mark is a stray one. */
const MOST_LINES = 100;

/**
 * @param delimiters the characters that may separate values
 * @returns a function that returns how many lines the row at `start` has; undefined if that depends on lines to come
 */
export function createRowSpan(delimiters: string) {
  const edge = new RegExp(`[${delimiters}]`);
  const closed = new RegExp(`(?<=^|${edge.source})"(?:[^"]|"")*"(?=${edge.source}|$)`, 'g');
  const open = new RegExp(`(?<=^|${edge.source})"(?:[^"]|"")*$`);
  const isOpen = (text: string) => text.split('"').length % 2 === 0 && open.test(text.replace(closed, ''));
  const width = (text: string) => text.split(edge).length;

  /** A line that could be a row is one: a stray quotation mark must not swallow it. */
  function isOneRow(lines: readonly string[]): boolean {
    const whole = width(lines.join('\n').replace(/"(?:[^"]|"")*"/g, ''));
    const isFirst = open.exec(lines[0] ?? '')?.index === 0;
    const within = isFirst ? lines.slice(1, -1) : lines.slice(1);
    return within.every((line) => width(line.replaceAll('"', '')) < whole);
  }

  return (lines: readonly string[], start: number): number | undefined => {
    let length = lines[start]?.length ?? 0;
    if (!isOpen(lines[start] ?? '')) return 1;
    for (let end = start + 1; end < start + MOST_LINES && length <= LONGEST_LINE; end++) {
      const line = lines[end];
      if (line === undefined) return undefined;
      length += line.length + 1;
      const [value] = /^(?:[^"]|"")*"(?!")/.exec(line) ?? [];
      if (value === undefined) continue;
      const rest = line.slice(value.length);
      if (rest !== '' && edge.exec(rest)?.index !== 0) return 1;
      if (!isOpen(rest)) return isOneRow(lines.slice(start, end + 1)) ? end + 1 - start : 1;
    }
    return 1;
  };
}
