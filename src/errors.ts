// The errors that reach a caller: a kind, a message for people, and the bad parameters.
import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { z } from 'zod';

export type ErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_SUPPORTED'
  | 'PAYLOAD_TOO_LARGE'
  | 'TOO_MANY_REQUESTS'
  | 'SERVICE_UNAVAILABLE'
  | 'GATEWAY_TIMEOUT'
  | 'INTERNAL_SERVER_ERROR';

export interface ParameterError {
  /** The bad parameter, as the caller spelled it. */
  parameter: string;
  /** The fault and the allowed values. */
  detail: string;
}

/** The message for a query that exceeds its time limit. */
export const TOOK_TOO_LONG = 'The query took longer than allowed';

/** The caller may see its message. Other errors become "Internal server error", so text of the database cannot leak. */
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

  get status(): number {
    return getHTTPStatusCodeFromError(this);
  }
}

/** An error that tRPC has no code for. Both transports send it as a problem. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: 'NOT_ACCEPTABLE' | 'MISDIRECTED_REQUEST';

  constructor(status: number, code: Refusal['code'], message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** @returns the error for one bad parameter: 400, with its name and the allowed values. */
export const badParameter = (parameter: string, detail: string): AppError =>
  new AppError('BAD_REQUEST', 'Invalid parameters', { errors: [{ parameter, detail }] });

/** @returns the error for an input that a schema refused: one entry for each parameter, with its first fault */
export function badInput(cause: z.core.$ZodError): AppError {
  const details = new Map<string, string>();
  for (const issue of cause.issues) {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.') || 'input'];
    for (const name of names) if (!details.has(name)) details.set(name, issue.message);
  }
  const errors = Array.from(details, ([parameter, detail]) => ({ parameter, detail }));
  return new AppError('BAD_REQUEST', 'Invalid parameters', { errors, cause });
}

/** @returns the error as callers may see it. Internal errors become "Internal server error" */
export function publicError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TRPCError && getHTTPStatusCodeFromError(error) < 500) {
    if (error.cause instanceof z.core.$ZodError) return badInput(error.cause);
    return new AppError('BAD_REQUEST', error.message, { cause: error }); // tRPC's own refusal
  }
  const cause = error instanceof TRPCError ? (error.cause ?? error) : error; // without tRPC's wrapper
  return new AppError('INTERNAL_SERVER_ERROR', 'Internal server error', { cause });
}
