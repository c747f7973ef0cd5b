// Stops waiting for work once a signal aborts.

/** @returns the result of `work`; rejects with the reason once `signal` aborts */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return work;
  const leaving = Promise.withResolvers<never>();
  const leave = () => leaving.reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  return Promise.race([leaving.promise, work]).finally(() => signal.removeEventListener('abort', leave));
}
