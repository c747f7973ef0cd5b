// Writes lines for the person at the terminal, above a status line that each update replaces.
import { printable } from '../contract/printable.ts';

export type StatusLine = ReturnType<typeof createStatusLine>;

const ERASE = '\r\x1b[K';

export function createStatusLine(output: {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}) {
  const isTerminal = output.isTTY === true;
  let isShown = false;

  function show(line: string | undefined): void {
    if (isShown) output.write(ERASE);
    isShown = line !== undefined;
    if (line !== undefined) output.write(printable(line).slice(0, (output.columns || 80) - 1)); // a longer line would wrap
  }

  /** Writes a line that stays. */
  function say(line: string): void {
    show(undefined);
    output.write(`${line.replace(/[^\t\n]+/g, printable)}\n`);
  }

  /** Replaces the status line; undefined removes it. Without a terminal, each status is a line of its own. */
  function status(line: string | undefined): void {
    if (isTerminal) show(line);
    else if (line !== undefined) say(line);
  }

  return { isTerminal, say, status };
}
