// What may be logged of a source: its lines, each of bounded length, without the user and the password of a URL.

/** How much of a line without an end is kept, and how much of a line is logged. */
const [MOST_KEPT, MOST_LOGGED] = [10_000, 1000];

/** Up to the last `@`: a password may hold others. */
export const withoutUsers = (text: string) => text.replace(/:\/\/[^\s'"]*@/g, '://***@');

/** The lines of a program's standard error, as they come. */
export async function* loggableLines(stream: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of stream) {
    const lines = `${rest}${piece}`.split(/[\r\n]+/);
    rest = (lines.pop() ?? '').slice(0, MOST_KEPT);
    for (const line of lines) if (line !== '') yield loggable(line);
  }
  if (rest !== '') yield loggable(rest);
}

function loggable(line: string): string {
  if (line.length <= MOST_LOGGED) return withoutUsers(line);
  // the URL that is cut off may have had its `@` behind the cut
  return `${withoutUsers(line)
    .slice(0, MOST_LOGGED)
    .replace(/:\/\/[^\s'"@]*$/, '://…')}…`;
}
