// tRPC, as the service sets it up: what procedures are built from, how they wait, and what their errors show.
import {
  initTRPC,
  type TRPCDefaultErrorShape,
  type TRPCError,
  type TRPCMiddlewareFunction,
} from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { Database } from '../db/database.ts';
import { publicError } from '../errors.ts';
import { Points } from '../points/points.ts';
import type { Call, Context } from './context.ts';
import type { Meta } from './meta.ts';

/**
 * An error as tRPC's clients see it: without a stack, and without what is not meant for callers. Its message names the
 * bad parameters too, as frontends show nothing else.
 */
export function formatError({ shape, error }: { shape: TRPCDefaultErrorShape; error: TRPCError }) {
  const { message, errors } = publicError(error);
  const details = errors?.map(({ parameter, detail }) => `${parameter} ${detail}`) ?? [];
  return {
    ...shape,
    message: details.length > 0 ? `${message}: ${details.join('; ')}` : message,
    data: { ...shape.data, errors },
  };
}

const PING_EVERY_MS = 15_000;

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter: formatError,
    sse: {
      ping: { enabled: true, intervalMs: PING_EVERY_MS },
      client: { reconnectAfterInactivityMs: 3 * PING_EVERY_MS },
    },
  });

export const { router } = t;

/** Notes each call, and runs some calls of a request at a time. */
export const procedure = t.procedure.use(async ({ ctx, path, next }) => {
  const call: Call = { operation: path, points: 0 };
  ctx.calls?.push(call);
  const begin = performance.now();
  const result = await ctx.inTurn(() => next({ ctx: { call } }));
  call.status = result.ok ? 200 : getHTTPStatusCodeFromError(result.error);
  call.ms = performance.now() - begin;
  if (result.ok) call.points = pointsOf(result.data);
  return result;
});

function pointsOf(answer: unknown): number {
  const { points }: { points?: unknown } = Object(answer);
  return points instanceof Points ? points.count : 0;
}

/**
 * For pages. tRPC's React package adds `direction` to the input of infinite queries, which go one way
 * here: it is ignored on `/trpc`. REST refuses it, as it does every unknown parameter.
 */
export const pageProcedure = procedure.use(({ ctx, getRawInput, next }) => {
  if (ctx.transport === 'rest') return next();
  return next({
    getRawInput: async () => {
      const input = await getRawInput();
      if (typeof input !== 'object' || input === null || !('direction' in input)) return input;
      const { direction: _, ...others } = input;
      return others;
    },
  });
});

/** A question that reads or sends more points than this is heavy. */
export const LIGHT_POINTS = 1000;

/** A question about a longer time is heavy: it has more points than that if ten come each second, a high estimate. */
export const LIGHT_SECONDS = LIGHT_POINTS / 10;

/**
 * Answers a question in its turn, once for all who ask it at the same moment, within the time that it may take.
 *
 * @param about what the answer is about, beside the input: the station that is asked
 */
export function answered<Input>(
  isHeavy: (input: Input) => boolean,
  about: (ctx: Context) => Context['station'] | readonly string[] | null = ({ station }) => station,
): TRPCMiddlewareFunction<Context, Meta, object, object, Input> {
  return ({ ctx, path, input, next }) => {
    const { admission, answers, caller, signal, db } = ctx;
    return answers.ask({
      key: JSON.stringify([about(ctx), path, ctx.pageType, input]),
      caller,
      queue: isHeavy(input) ? admission.heavy : admission.light,
      answer: (ending) => next({ ctx: { signal: ending, db: endingWith(ending, db) } }),
      signal,
    });
  };
}

/** @returns the database for one answer: its statements end when `signal` aborts */
function endingWith(signal: AbortSignal, db: Database): Database {
  return { ...db, query: (statement, values) => db.query(statement, values, signal) };
}

export const light = answered(() => false);
export const heavy = answered(() => true);
export const byLimit = answered(({ limit }: { limit: number }) => limit > LIGHT_POINTS);
