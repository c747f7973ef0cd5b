// The bytes of a stream that a signal ends, without an error.
import type { Readable } from 'node:stream';

/** After the signal, what is in the pipe already is read: it ends when nothing more comes at once. */
const QUIET_MS = 100;
const DRAINED_MS = 2000;

/**
 * @param drains whether what is in the pipe at the signal is read too
 * @throws the fault of the stream, unless the signal has aborted
 */
export async function* untilAborted(
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
