// Writes lines for the person at the terminal, and below them one that is replaced by the next.

export interface StatusLine {
  /** Writes a line that stays. */
  say(line: string): void;
  /** Shows a line in place of the one before; undefined removes that. It stays where this is no terminal. */
  status(line: string | undefined): void;
  readonly isTerminal: boolean;
}

interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const ERASE = '\r\x1b[K';

export function createStatusLine(output: Output): StatusLine {
  const isTerminal = output.isTTY === true;
  let isShown = false;

  function show(line: string | undefined): void {
    if (isShown) output.write(ERASE);
    isShown = line !== undefined;
    if (line !== undefined) output.write(line.slice(0, (output.columns || 80) - 1)); // a longer one would wrap
  }

  function say(line: string): void {
    show(undefined);
    output.write(`${line}\n`);
  }

  return {
    isTerminal,
    say,
    status(line) {
      if (isTerminal) show(line);
      else if (line !== undefined) say(line);
    },
  };
}
