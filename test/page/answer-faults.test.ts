// Failed requests: the page's message, and whether it retries.
import { TRPCClientError } from '@trpc/client';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { describe, expect, it } from 'vitest';
import { explain } from '../../src/database/faults.ts';
import { AppError, type ErrorCode, TOOK_TOO_LONG } from '../../src/errors.ts';
import { FairQueue } from '../../src/load/fair-queue.ts';
import { faultOf, isRetried, waitBefore } from '../../src/page/state/answer-faults.ts';
import { en } from '../../src/texts/en.ts';

/** An error of the service, as its client receives the error. */
function received(error: unknown, headers: Record<string, string> = {}) {
  if (!(error instanceof AppError)) throw new Error('Not for callers');
  const { code, message, status } = error;
  const data = { code, httpStatus: status, path: 'stats.series' };
  return TRPCClientError.from(
    { error: { code: TRPC_ERROR_CODES_BY_KEY[code], message, data } },
    { meta: { response: new Response(null, { headers }) } },
  );
}

/** The page's message. */
const sentenceOf = (error: unknown) => en.faults[faultOf(error)];

const fault = (message: string, code?: string) => explain(Object.assign(new Error(message), { code }));

describe('a failed request', () => {
  it.each([
    ['refused', 'ECONNREFUSED'],
    ['shut down', '57P01'],
    ['Connection terminated unexpectedly', undefined],
    ['no such table', '42P01'],
  ])('is reported as an unreachable database: %s', (message, code) => {
    expect(sentenceOf(received(fault(message, code)))).toBe('The service cannot reach its database.');
  });

  it('is reported as load', async () => {
    const queue = new FairQueue({ slots: 1, maxWaiting: 0, maxWaitMs: 1000 });
    const { signal } = new AbortController();
    await queue.enter('other', signal);
    const refused = await queue.enter('me', signal).catch((error: unknown) => error);
    const loads = [
      refused,
      fault('timeout exceeded when trying to connect'),
      new AppError('SERVICE_UNAVAILABLE', 'The service is overloaded; try again'),
      fault('deadlock', '40P01'),
    ];
    expect(loads.map((error) => sentenceOf(received(error)))).toEqual(
      loads.map(() => 'The service is too busy right now.'),
    );
  });

  it.each<[ErrorCode, string, string, boolean]>([
    ['SERVICE_UNAVAILABLE', 'The service is stopping', 'The service is stopping.', true],
    [
      'TOO_MANY_REQUESTS',
      'A caller may make 9 calls a minute',
      'The service received too many requests.',
      true,
    ],
    ['GATEWAY_TIMEOUT', TOOK_TOO_LONG, 'The answer took too long.', false],
    ['INTERNAL_SERVER_ERROR', 'Internal server error', 'The service has failed.', true],
    ['BAD_REQUEST', 'Invalid parameters', 'The service has failed.', false],
  ])('with %s: %s', (code, message, sentence, isAgain) => {
    const error = received(new AppError(code, message));
    expect([sentenceOf(error), isRetried(error)]).toEqual([sentence, isAgain]);
  });

  it('is retried after a longer wait each time, and not before Retry-After', () => {
    const away = new TypeError('fetch failed');
    expect([sentenceOf(away), isRetried(away)]).toEqual(['The service cannot be reached.', true]);
    expect([0, 1, 2, 9].map((tries) => waitBefore(tries, away))).toEqual([1000, 2000, 4000, 10_000]);
    const often = received(new AppError('TOO_MANY_REQUESTS', 'A caller may make 9 calls a minute'), {
      'retry-after': '17',
    });
    expect([0, 9].map((tries) => waitBefore(tries, often))).toEqual([17_000, 17_000]);
  });
});
