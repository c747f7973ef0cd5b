// Splits a stream of bytes into lines as they arrive.

export const LONGEST_LINE = 65_536;
/** How much of an endless line to keep: enough to refuse it for its length. */
const MOST_KEPT = 2 * LONGEST_LINE;

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * Skips zero bytes at the start of a line: file systems write blocks of them after a power cut.
 *
 * @param signal ends the stream; the last line may then be incomplete and is dropped
 * @returns the lines that each piece of the stream completes, then the last one, without line feed and carriage return
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  encoding: Encoding = 'utf-8',
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder(encoding);
  let rest = '';
  const bare = (line: string) => line.replace(/^\0+/, '');
  for await (const piece of stream) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
    rest = bare(lines.pop() ?? '').slice(0, MOST_KEPT);
    if (lines.length > 0) yield lines.map((line) => bare(line).replace(/\r+$/, ''));
  }
  rest = bare(rest + decoder.decode());
  if (rest !== '' && !signal.aborted) yield [rest.replace(/\r+$/, '')];
}
