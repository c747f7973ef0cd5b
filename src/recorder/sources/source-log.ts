// Prepares a recording program's output for the log: shortens lines, and removes users and passwords from URLs.
import { linesOf } from '../../commands/input-files.ts';

const MOST_LOGGED = 1000;

/** Removes everything up to the last `@`, since a password may contain one. */
export const withoutUsers = (text: string) => text.replace(/:\/\/[^\s'"]*@/g, '://***@');

/** The lines of a program's standard error, as they arrive. */
export async function* loggableLines(
  stderr: AsyncIterable<Uint8Array>,
  stopping: AbortSignal,
): AsyncGenerator<string> {
  for await (const lines of linesOf(withLineFeeds(stderr), stopping))
    for (const line of lines) if (line !== '') yield loggable(line);
}

/** A program that shows progress ends its lines with carriage returns. */
async function* withLineFeeds(stderr: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of stderr) yield piece.map((byte) => (byte === 0x0d ? 0x0a : byte));
}

function loggable(line: string): string {
  if (line.length <= MOST_LOGGED) return withoutUsers(line);
  // a URL at the cut may have lost its `@`
  return `${withoutUsers(line)
    .slice(0, MOST_LOGGED)
    .replace(/:\/\/[^\s'"@]*$/, '://…')}…`;
}
