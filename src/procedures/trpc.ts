// What every procedure shares: its context, its errors, and how its answer is declared.
import { initTRPC, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { Texts } from './json-text.ts';

export interface Context {
  readonly db: Database;
  /** The clock of the request, read once. */
  readonly now: string;
  /** Headers that a procedure wants on a REST answer. */
  readonly headers: Record<string, string>;
  /**
   * Where a transport that can fill texts in gets them, and the pieces of a file as bytes; without it answers
   * hold values, and pieces are strings.
   */
  readonly texts?: Texts | undefined;
  /** What is being answered at this moment, by question: see shared.ts. */
  readonly inFlight: Record<string, Promise<unknown>>;
}

/** The error as callers may see it: whatever is not meant for them becomes "Internal server error". */
export function publicError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TRPCError) {
    const isInternal = error.code === 'INTERNAL_SERVER_ERROR'; // whatever its cause, it is not the input
    if (!isInternal && error.cause instanceof z.core.$ZodError) return badInput(error.cause);
    if (!isInternal && error.cause instanceof SyntaxError) {
      return new AppError('BAD_REQUEST', 'The input is not valid JSON', { cause: error });
    }
    const { code, message } = error; // tRPC's own refusals, such as of a procedure that does not exist
    if (code === 'NOT_FOUND' || code === 'METHOD_NOT_SUPPORTED')
      return new AppError(code, message, { cause: error });
    if (getHTTPStatusCodeFromError(error) < 500)
      return new AppError('BAD_REQUEST', message, { cause: error });
  }
  const cause = error instanceof TRPCError ? (error.cause ?? error) : error; // not tRPC's wrapping
  return new AppError('INTERNAL_SERVER_ERROR', 'Internal server error', { cause });
}

/** One error for each parameter: a value can break several rules, but every message says all of them. */
function badInput(cause: z.core.$ZodError): AppError {
  const details = new Map<string, string>();
  for (const issue of cause.issues) {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.') || 'input'];
    for (const name of names) if (!details.has(name)) details.set(name, issue.message);
  }
  const errors = Array.from(details, ([parameter, detail]) => ({ parameter, detail }));
  return new AppError('BAD_REQUEST', 'Invalid parameters', { errors, cause });
}

const t = initTRPC
  .context<Context>()
  .meta<OpenApiMeta>()
  .create({
    isDev: false, // stack traces stay inside, whatever NODE_ENV says
    errorFormatter: ({ shape, error }) => {
      const { message, errors } = publicError(error);
      const code = shape.data.code === 'PARSE_ERROR' ? 'BAD_REQUEST' : shape.data.code;
      return { ...shape, message, data: { ...shape.data, code, errors } };
    },
  });

export const router = t.router;
export const procedure = t.procedure;

/**
 * Declares an answer without checking it: the type and the OpenAPI document come from the schema, the cost
 * of validating every row does not. The tests check every answer against its schema.
 */
export function declared<Schema extends z.ZodType>(schema: Schema): Schema {
  const unchecked = schema.clone() as Schema;
  // tRPC takes the first of these that a schema has
  unchecked.parse = (value) => value as z.output<Schema>;
  unchecked.parseAsync = async (value) => value as z.output<Schema>;
  return unchecked;
}

/** What `meta.openapi` says for every operation, with the words of this one. */
export function operation(
  path: `/${string}`,
  tag: string,
  summary: string,
  description: string,
): OpenApiMeta {
  return { openapi: { method: 'GET', path, protect: false, tags: [tag], summary, description } };
}
