// Stops waiting for work once a signal aborts, or acts at the abort.
import { once } from 'node:events';

/** @returns the result of `work`; rejects with the reason once `signal` aborts */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined) {
  if (!signal) return work;
  const leaving = Promise.withResolvers<never>();
  const leave = () => leaving.reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  return Promise.race([leaving.promise, work]).finally(() => signal.removeEventListener('abort', leave));
}

/** Calls `act` when `signal` aborts: at once if it has aborted, because it never aborts again. */
export function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
}

/** Resolves once `signal` aborts. Keeps the process alive until then, because signals and loops do not. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  const keepingAlive = setInterval(() => {}, 60_000);
  if (!signal.aborted) await once(signal, 'abort');
  clearInterval(keepingAlive);
}
