// Cuts a stream of bytes into lines as they come.
import { LONGEST_LINE } from './csv-lines.ts';

/** How much of a line that does not end is kept: enough to be refused for its length. */
const MOST_KEPT = 2 * LONGEST_LINE;

/**
 * @param signal has ended the stream where it aborts: the last line is then cut anywhere, and left out
 * @returns the lines that each piece of the stream completes, and at the end the last one, without its line break
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of stream) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, MOST_KEPT);
    if (lines.length > 0) yield lines;
  }
  if (rest !== '' && !signal.aborted) yield [rest];
}
