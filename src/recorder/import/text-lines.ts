// Cuts a stream of bytes into lines as they come.
import { LONGEST_LINE } from './line-fields.ts';

/** How much of a line that does not end is kept: enough to be refused for its length. */
const MOST_KEPT = 2 * LONGEST_LINE;

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * @param signal has ended the stream where it aborts: the last line is then cut anywhere, and left out
 * @returns the lines that each piece of the stream completes, and at the end the last one, without a line feed
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  encoding: Encoding = 'utf-8',
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder(encoding);
  let rest = '';
  for await (const piece of stream) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, MOST_KEPT);
    if (lines.length > 0) yield lines;
  }
  rest += decoder.decode();
  if (rest !== '' && !signal.aborted) yield [rest];
}
