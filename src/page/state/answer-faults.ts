// Explains failed requests, and decides whether and when the page retries.
import { TRPCClientError } from '@trpc/client';
import { isFinal, isServiceError } from '../../client/service-error.ts';

/** Whether the service gave up. A retry would cause the same work again. */
export function tookTooLong(error: unknown): boolean {
  return isServiceError(error) && error.data.httpStatus === 504;
}

/** Whether the page retries by itself. */
export const isRetried = (error: unknown) => !isFinal(error) && !tookTooLong(error);

const MOST_WAIT_MS = 10_000;

/** How long the page waits before a retry: Retry-After, or else 1 to 10 s, longer each time. */
export function waitBefore(tries: number, error: unknown): number {
  const usual = Math.min(1000 * 2 ** tries, MOST_WAIT_MS);
  return Math.max(usual, 1000 * secondsOf(error));
}

/** The seconds in Retry-After; 0 if it is missing. */
function secondsOf(error: unknown): number {
  if (!(error instanceof TRPCClientError)) return 0;
  const { response } = error.meta ?? {};
  const seconds = response instanceof Response ? Number(response.headers.get('retry-after')) : 0;
  return seconds > 0 ? seconds : 0;
}

/** Messages of the service with the status 503 (src/database/faults.ts, src/database/embedded/stopped.ts). */
const DATABASE_AWAY = /^The (embedded )?database (cannot be|has stopped|is closed|did not answer|lacks)/;
const STOPPING = /^The service is stopping/;

/** The kinds of trouble; `texts.faults` has a sentence for each. */
export type Fault = 'unreachable' | 'database' | 'stopping' | 'busy' | 'often' | 'slow' | 'failed';

export function faultOf(error: unknown): Fault {
  if (!isServiceError(error)) return 'unreachable';
  const { httpStatus } = error.data;
  if (httpStatus === 429) return 'often';
  if (httpStatus === 504) return 'slow';
  if (httpStatus !== 503) return 'failed';
  if (DATABASE_AWAY.test(error.message)) return 'database';
  return STOPPING.test(error.message) ? 'stopping' : 'busy';
}
