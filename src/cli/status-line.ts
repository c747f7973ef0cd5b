// Writes lines for the person at the terminal, and below them one that is replaced by the next.

export type StatusLine = ReturnType<typeof createStatusLine>;

interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const ERASE = '\r\x1b[K';

export function createStatusLine(output: Output) {
  const isTerminal = output.isTTY === true;
  let isShown = false;

  function show(line: string | undefined): void {
    if (isShown) output.write(ERASE);
    isShown = line !== undefined;
    if (line !== undefined) output.write(line.slice(0, (output.columns || 80) - 1)); // a longer one would wrap
  }

  /** Writes a line that stays. */
  function say(line: string): void {
    show(undefined);
    output.write(`${line}\n`);
  }

  /** Shows a line in place of the one before; undefined removes that. It stays where this is no terminal. */
  function status(line: string | undefined): void {
    if (isTerminal) show(line);
    else if (line !== undefined) say(line);
  }

  return { isTerminal, say, status };
}
