// Errors: whether the service answered with one, and whether a retry can help.
import { TRPCClientError } from '@trpc/client';
import type { AppRouter } from '../api/router.ts';

/** An error from the service: `data` holds its `code`, and the `errors` of bad parameters. */
export type ServiceError = TRPCClientError<AppRouter> & {
  data: NonNullable<TRPCClientError<AppRouter>['data']>;
};

/** True for an error from the service; false when no service was reached. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof TRPCClientError && error.data != null;
}

/** Whether the same call would be refused again with this status. */
export function isFinalStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

/** Whether the same call would be refused again. */
export function isFinal(error: unknown): boolean {
  return isServiceError(error) && isFinalStatus(error.data.httpStatus);
}
