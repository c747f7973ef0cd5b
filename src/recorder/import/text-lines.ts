// Cuts a stream of bytes into lines as they come.

export const LONGEST_LINE = 65_536;
/** How much of a line that does not end is kept: enough to be refused for its length. */
const MOST_KEPT = 2 * LONGEST_LINE;

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * Leaves out zero bytes at the beginning of a line: file systems write blocks of them after a power cut.
 *
 * @param signal has ended the stream if it aborts: the last line is then cut anywhere, and left out
 * @param onZeros called with how many zero bytes were left out
 * @returns the lines that each piece of the stream completes, and at the end the last one, without line feed and carriage
 *   returns
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  encoding: Encoding = 'utf-8',
  onZeros: (count: number) => void = () => {},
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder(encoding);
  let rest = '';
  const bare = (line: string) => {
    if (!line.startsWith('\0')) return line;
    const text = line.replace(/^\0+/, '');
    onZeros(line.length - text.length);
    return text;
  };
  for await (const piece of stream) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
    rest = bare(lines.pop() ?? '').slice(0, MOST_KEPT);
    if (lines.length > 0) yield lines.map((line) => bare(line).replace(/\r+$/, ''));
  }
  rest = bare(rest + decoder.decode());
  if (rest !== '' && !signal.aborted) yield [rest.replace(/\r+$/, '')];
}
