// What may be logged of a source: its lines, each of bounded length, without the user and the password of a URL.
import { linesOf } from '../import/text-lines.ts';

const MOST_LOGGED = 1000;

/** Up to the last `@`: a password may hold others. */
export const withoutUsers = (text: string) => text.replace(/:\/\/[^\s'"]*@/g, '://***@');

/** The lines of a program's standard error, as they come. */
export async function* loggableLines(
  stderr: AsyncIterable<Uint8Array>,
  stopping: AbortSignal,
): AsyncGenerator<string> {
  for await (const lines of linesOf(withLineFeeds(stderr), stopping))
    for (const line of lines) if (line !== '') yield loggable(line);
}

/** A program that shows how far it is ends its lines with carriage returns. */
async function* withLineFeeds(stderr: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of stderr) yield piece.map((byte) => (byte === 0x0d ? 0x0a : byte));
}

function loggable(line: string): string {
  if (line.length <= MOST_LOGGED) return withoutUsers(line);
  // the URL that is cut off may have had its `@` behind the cut
  return `${withoutUsers(line)
    .slice(0, MOST_LOGGED)
    .replace(/:\/\/[^\s'"@]*$/, '://…')}…`;
}
