// Errors: whether an error came from the service, and whether a retry can help.
import { TRPCClientError } from '@trpc/client';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { AppRouter } from '../operations/router.ts';

/** An error from the service: `data` has its `code`, and the `errors` of bad parameters. */
export type ServiceError = TRPCClientError<AppRouter> & {
  data: NonNullable<TRPCClientError<AppRouter>['data']>;
};

/** True for an error from the service; false if no service was reached. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof TRPCClientError && error.data != null;
}

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
