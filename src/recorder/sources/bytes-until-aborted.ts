// Reads a stream until a signal, without throwing when the signal aborts.
import type { Readable } from 'node:stream';

/** After the signal, the pipe is drained: reading ends when nothing more arrives within this time. */
const QUIET_MS = 100;
const DRAINED_MS = 2000;

/** @param drains reads what is in the pipe at the signal. @throws the stream's fault, unless the signal has aborted */
export async function* bytesUntilAborted(
  stream: Readable,
  signal: AbortSignal,
  drains = false,
): AsyncGenerator<Uint8Array> {
  let ending: NodeJS.Timeout | undefined;
  const stop = () => {
    if (!drains) return void stream.destroy();
    const latest = performance.now() + DRAINED_MS;
    ending = setInterval(() => {
      if (stream.readableLength === 0 || performance.now() > latest) stream.destroy();
    }, QUIET_MS);
  };
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) return;
    for await (const piece of stream) {
      yield piece;
      ending?.refresh();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(ending);
    signal.removeEventListener('abort', stop);
  }
}
