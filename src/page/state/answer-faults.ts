// Answers that failed: what is told of them, and whether and when they are asked for again.
import { TRPCClientError } from '@trpc/client';
import { isFinal, isServiceError } from '../../client/service-error.ts';

/** Whether the service gave up. Asked again by itself, it would have the same work once more. */
export function tookTooLong(error: unknown): boolean {
  return isServiceError(error) && error.data.httpStatus === 504;
}

/** Whether the page asks again by itself. */
export const isAskedAgain = (error: unknown) => !isFinal(error) && !tookTooLong(error);

const MOST_WAIT_MS = 10_000;

/** How long the page waits before it asks again: as the service says, else 1 to 10 s, longer each time. */
export function waitBefore(tries: number, error: unknown): number {
  const usual = Math.min(1000 * 2 ** tries, MOST_WAIT_MS);
  return Math.max(usual, 1000 * secondsOf(error));
}

/** What Retry-After says; 0 where it is missing. */
function secondsOf(error: unknown): number {
  if (!(error instanceof TRPCClientError)) return 0;
  const { response } = error.meta ?? {};
  const seconds = response instanceof Response ? Number(response.headers.get('retry-after')) : 0;
  return seconds > 0 ? seconds : 0;
}

/** Messages of the service with the status 503 (src/db/faults.ts, src/db/embedded/stopped.ts). */
const DATABASE_AWAY = /^The (embedded )?database (cannot be|has stopped|is closed|did not answer|lacks)/;
const STOPPING = /^The service is stopping/;

const SENTENCES: Readonly<Record<number, string>> = {
  429: 'The service was asked too often.',
  504: 'The answer took too long.',
};

/** What is the matter, as a sentence. */
export function sentenceOf(error: unknown): string {
  if (!isServiceError(error)) return 'The service cannot be reached.';
  const { httpStatus } = error.data;
  if (httpStatus !== 503) return SENTENCES[httpStatus] ?? 'The service has failed.';
  if (DATABASE_AWAY.test(error.message)) return 'The service cannot reach its database.';
  return STOPPING.test(error.message)
    ? 'The service is stopping.'
    : 'The service has too much to do just now.';
}
