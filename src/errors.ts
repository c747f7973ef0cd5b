// The errors that reach a caller: a kind, a sentence for people, and the parameters at fault.
import { TRPCError } from '@trpc/server';

/** The kinds of error, in tRPC's words, so that both transports share one vocabulary. */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_SUPPORTED'
  | 'TOO_MANY_REQUESTS'
  | 'SERVICE_UNAVAILABLE'
  | 'GATEWAY_TIMEOUT'
  | 'INTERNAL_SERVER_ERROR';

export interface ParameterError {
  /** The parameter at fault, as the caller spelled it. */
  parameter: string;
  /** What is wrong with it, and what is allowed. */
  detail: string;
}

/**
 * An error whose message the caller may see. Anything else that is thrown answers "Internal server error",
 * so text from the database cannot leak by accident.
 */
/** Of a query that exceeds its time limit. */
export const TOOK_TOO_LONG = 'The query took longer than is allowed';

export class AppError extends TRPCError {
  declare readonly code: ErrorCode;
  readonly errors: readonly ParameterError[] | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { errors?: readonly ParameterError[]; cause?: unknown } = {},
  ) {
    super({ code, message, cause: options.cause });
    this.name = 'AppError';
    this.errors = options.errors;
  }
}

/** @returns the error for one bad parameter: 400, naming it and saying what is allowed. */
export function badParameter(parameter: string, detail: string): AppError {
  return new AppError('BAD_REQUEST', 'Invalid parameters', { errors: [{ parameter, detail }] });
}
