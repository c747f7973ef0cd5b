// What every procedure shares: its context, its errors, and how its answer is declared.
import { initTRPC, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { type Texts, withoutTexts } from './json-text.ts';

export interface Context {
  readonly db: Database;
  /** The clock of the request, read once. */
  readonly now: string;
  /** Headers that a procedure wants on a REST answer. */
  readonly headers: Record<string, string>;
  /** Where a transport that can fill texts in gets them; without it answers hold values alone. */
  readonly texts?: Texts;
  /** The questions that are being answered at this moment, for those who ask the same. */
  readonly inFlight: Map<string, Promise<unknown>>;
}

/** The error as callers may see it: whatever is not meant for them becomes "Internal server error". */
export function publicError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TRPCError) {
    if (error.cause instanceof AppError) return error.cause;
    if (error.cause instanceof z.core.$ZodError) return badInput(error.cause);
    if (error.cause instanceof SyntaxError) {
      return new AppError('BAD_REQUEST', 'The input is not valid JSON', { cause: error });
    }
    const { code, message } = error; // tRPC's own refusals, such as of a procedure that does not exist
    if (code === 'NOT_FOUND' || code === 'METHOD_NOT_SUPPORTED')
      return new AppError(code, message, { cause: error });
    if (getHTTPStatusCodeFromError(error) < 500)
      return new AppError('BAD_REQUEST', message, { cause: error });
  }
  return new AppError('INTERNAL_SERVER_ERROR', 'Internal server error', { cause: error });
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

/**
 * What each caller gets its own way. Texts in the answer, which may be another caller's too. And errors: tRPC
 * derives the status from a TRPCError's code; this is the one place where an AppError becomes one.
 */
const translated = t.middleware(async ({ ctx, next }) => {
  const result = await next();
  if (result.ok) return { ...result, data: withoutTexts(result.data, ctx.texts) };
  if (!(result.error.cause instanceof AppError)) return result;
  const { code, message } = result.error.cause;
  throw new TRPCError({ code, message, cause: result.error.cause });
});

/**
 * Who asks what is being answered already is given that answer, or its error. It belongs to the clock of
 * whoever asked first, so times relative to now mean then: an instant earlier by no more than the answer
 * took, and no older on arrival than the answer to a lone caller. Nothing in here may depend on who asks,
 * least of all the `signal`: a caller that goes away would take the answer along.
 */
const coalesced = t.middleware(async ({ ctx: { inFlight }, path, getRawInput, next }) => {
  const question = `${path} ${JSON.stringify(await getRawInput())}`;
  const running = inFlight.get(question) as ReturnType<typeof next> | undefined;
  if (running) return running;
  const answer = next();
  inFlight.set(question, answer);
  return answer.finally(() => inFlight.delete(question));
});

export const router = t.router;
/** An operation whose answer is its caller's own. */
export const procedure = t.procedure.use(translated);
/** An operation whose answer is shared by all who ask the same at the same time. */
export const sharedProcedure = procedure.use(coalesced);

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
