// Defines the errors that reach a caller: a kind, a sentence for people, and the parameters at fault.
import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { z } from 'zod';

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

/** Of a query that exceeds its time limit. */
export const TOOK_TOO_LONG = 'The query took longer than is allowed';

/**
 * An error whose message the caller may see. Anything else that is thrown answers "Internal server error",
 * so text from the database cannot leak by accident.
 */
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

/** A kind of error that tRPC does not have: a problem on both transports. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: 'NOT_ACCEPTABLE' | 'MISDIRECTED_REQUEST';

  constructor(status: number, code: Refusal['code'], message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** @returns the error for one bad parameter: 400, naming it and saying what is allowed. */
export function badParameter(parameter: string, detail: string): AppError {
  return new AppError('BAD_REQUEST', 'Invalid parameters', { errors: [{ parameter, detail }] });
}

/** @returns the error for an input that a schema refused: one entry for each parameter, whatever else is wrong with it */
export function badInput(cause: z.core.$ZodError): AppError {
  const details = new Map<string, string>();
  for (const issue of cause.issues) {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.') || 'input'];
    for (const name of names) if (!details.has(name)) details.set(name, issue.message);
  }
  const errors = Array.from(details, ([parameter, detail]) => ({ parameter, detail }));
  return new AppError('BAD_REQUEST', 'Invalid parameters', { errors, cause });
}

/** @returns the error as callers may see it: what is not meant for them becomes "Internal server error" */
export function publicError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TRPCError && getHTTPStatusCodeFromError(error) < 500) {
    if (error.cause instanceof z.core.$ZodError) return badInput(error.cause);
    return new AppError('BAD_REQUEST', error.message, { cause: error }); // tRPC's own refusal
  }
  const cause = error instanceof TRPCError ? (error.cause ?? error) : error; // not tRPC's wrapping
  return new AppError('INTERNAL_SERVER_ERROR', 'Internal server error', { cause });
}
