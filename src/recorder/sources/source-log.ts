// What may be logged of a source: its lines, each of bounded length, without the user and the password of a URL.
import { linesOf } from '../import/text-lines.ts';

const MOST_LOGGED = 1000;

/** Up to the last `@`: a password may hold others. */
export const withoutUsers = (text: string) => text.replace(/:\/\/[^\s'"]*@/g, '://***@');

/** The lines of a program's standard error, as they come. */
export async function* loggableLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const lines of linesOf(stream, undefined, 'utf-8', /[\r\n]+/))
    for (const line of lines) if (line !== '') yield loggable(line);
}

function loggable(line: string): string {
  if (line.length <= MOST_LOGGED) return withoutUsers(line);
  // the URL that is cut off may have had its `@` behind the cut
  return `${withoutUsers(line)
    .slice(0, MOST_LOGGED)
    .replace(/:\/\/[^\s'"@]*$/, '://…')}…`;
}
