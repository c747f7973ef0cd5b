// Errors: whether an error came from the service, whether a retry can help, and how long to wait before it.
import { TRPCClientError } from '@trpc/client';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { AppRouter } from '../operations/router.ts';

/** An error from the service: `data` has its `code`, and the `errors` of bad parameters. */
export type ServiceError = TRPCClientError<AppRouter> & {
  data: NonNullable<TRPCClientError<AppRouter>['data']>;
};

/** True for an error from the service; false if no service was reached. */
export const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof TRPCClientError && error.data != null;

/** Whether the service would refuse the same call again. */
export function isFinal(error: unknown): boolean {
  if (!isServiceError(error)) return false;
  const { httpStatus } = error.data;
  return httpStatus >= 400 && httpStatus < 500 && httpStatus !== 429;
}

/** Converts a failed REST answer to tRPC's error. `data` is missing if the answer did not come from the service. */
export async function refusalOf(response: Response, path: string): Promise<TRPCClientError<AppRouter>> {
  const { detail, code, errors } = Object(await response.json().catch(() => undefined));
  const number = new Map<string, number>(Object.entries(TRPC_ERROR_CODES_BY_KEY)).get(code);
  if (number === undefined) return new TRPCClientError(`Answered with the status ${response.status}`);
  const text = ({ parameter, detail }: Record<string, string>) => `${parameter} ${detail}`;
  const details: string[] = errors?.map(text) ?? [];
  const message = details.length > 0 ? `${detail}: ${details.join('; ')}` : detail;
  const data = { code, httpStatus: response.status, path, errors };
  return TRPCClientError.from({ error: { message, code: number, data } });
}

const [LEAST_WAIT_MS, MOST_WAIT_MS] = [1000, 30_000];

/** @returns a function for the next wait: 1 to 30 s, longer each time. A minute without a retry resets it */
export function createWaits(): () => number {
  let [tries, last] = [0, 0];
  return () => {
    const now = Date.now();
    tries = now - last > 2 * MOST_WAIT_MS ? 0 : tries + 1;
    last = now;
    return LEAST_WAIT_MS + Math.random() * Math.min(LEAST_WAIT_MS * 2 ** tries, MOST_WAIT_MS - LEAST_WAIT_MS);
  };
}
