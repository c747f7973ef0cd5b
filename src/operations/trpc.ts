// The tRPC setup: the base procedures, their metadata and queues, and the format of their errors.
import {
  initTRPC,
  type TRPCDefaultErrorShape,
  type TRPCError,
  type TRPCMiddlewareFunction,
} from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { publicError } from '../errors.ts';
import { type Given, Points } from '../points/points.ts';
import { CutsHistory } from '../rollups/rollup-planner.ts';
import type { Call, Context } from './context.ts';
import { withWholeMinute } from './history-ends.ts';

/** Without a stack or internal details. The message names the bad parameters, because frontends show only that. */
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

/** Admits and records each call, and limits how many run at once per request. */
const procedure = t.procedure.use(async ({ ctx, path, signal, next }) => {
  ctx.admit(path);
  const call: Call = { operation: path, points: 0 };
  ctx.calls?.push(call);
  const begin = performance.now();
  // over HTTP, tRPC's own signal does not abort after a complete answer
  const ends = ctx.transport === 'process' && signal ? signal : ctx.signal;
  const result = await ctx.inSlot(() => next({ ctx: { call, signal: ends } }));
  call.status = result.ok ? 200 : getHTTPStatusCodeFromError(result.error);
  call.ms = performance.now() - begin;
  if (!result.ok) return result;
  const answer: { points?: unknown } = Object(result.data);
  const { points } = answer;
  if (!(points instanceof Points)) return result;
  call.points = points.count;
  return ctx.pages ? { ...result, data: { ...answer, points: ctx.pages.hold(points) } } : result;
});

/** Moves relative ends within minutes of history to whole minutes, which the answer shows. */
const wholeMinutes = procedure.use(async ({ ctx, getRawInput, next }) => {
  let result = await next();
  for (;;) {
    const cut = !result.ok && result.error.cause;
    if (!(cut instanceof CutsHistory)) return result;
    const moved = withWholeMinute(Object(await getRawInput()), cut.time, ctx.now);
    getRawInput = async () => moved;
    result = await next({ getRawInput });
  }
});

/** @param path on REST, below its prefix */
export function operation(
  path: `/${string}`,
  summary: string,
  description: string,
  more: Omit<Meta, 'openapi'> = {},
) {
  const [, group = ''] = path.split('/');
  const openapi = { method: 'GET' as const, path, summary, description, tags: [group], protect: false };
  return wholeMinutes.meta({ openapi, ...more });
}

/**
 * An operation with pages. tRPC's React package adds `direction` to the input of infinite queries. `/trpc` ignores
 * it, because pages go one way. REST refuses it like every unknown parameter.
 */
export const pagedOperation = (...described: Parameters<typeof operation>) =>
  operation(...described).use(({ ctx, getRawInput, next }) => {
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

/** A query that reads or sends more points than this is heavy. */
export const LIGHT_POINTS = 1000;

/** A query over more seconds than this is heavy. Assumes ten points per second, a high estimate. */
export const LIGHT_SECONDS = LIGHT_POINTS / 10;

/**
 * Runs a query when its queue has a slot, within its time limit. Equal queries at the same moment share one answer.
 *
 * @param about whatever else the answer depends on; by default the requested station
 */
export function answered<Input>(
  isHeavy: (input: Input) => boolean,
  about: (ctx: Context) => Context['station'] | readonly string[] | null = ({ station }) => station,
): TRPCMiddlewareFunction<Context, Meta, object, object, Input> {
  return ({ ctx, path, input, next }) => {
    const { admission, answers, caller, signal, db, server } = ctx;
    return answers.get({
      key: JSON.stringify([about(ctx), path, input]),
      caller,
      queue: (isHeavy(input) ? admission.heavy : admission.light).of(server()),
      answer: (ending) => next({ ctx: { signal: ending, db: endingWith(ending, db) } }),
      signal,
    });
  };
}

/** @returns the database for one answer. `signal` cancels its statements */
function endingWith(signal: AbortSignal, db: Database): Database {
  return { ...db, query: (statement, values) => db.query(statement, values, signal) };
}

export const light = answered(() => false);
export const heavy = answered(() => true);
export const byLimit = answered(({ limit }: { limit: number }) => limit > LIGHT_POINTS);

export interface Meta extends OpenApiMeta {
  /** Callers may keep `revalidated` answers, but must revalidate them. Only shared caches may keep `momentary` ones. */
  readonly cache?: 'revalidated' | 'momentary';
  /** The media types on REST, the default first. By default JSON, CSV if `rows` is set, or an event stream. */
  readonly types?: readonly string[];
  /** The field of the answer that is a table: an array of flat objects. */
  readonly rows?: string;
  /** Of a subscription: the query string on REST, and the data of an event. */
  readonly stream?: { readonly query: z.ZodObject; readonly event: z.ZodType };
  /** Whether probes call it. It needs no key, and has no rate limit and no queue. */
  readonly isProbe?: boolean;
  /** The error statuses of the procedure itself; others occur before the call. By default those of a query. */
  readonly errors?: readonly number[];
}

const documents = new WeakMap<object, z.ZodType>();
let areChecked = false;

/** Turns answers that do not match their documentation into errors. For tests. */
export function checkAnswers(): void {
  areChecked = true;
}

/** @param schema of the answer as JSON. It has an id */
export function documented<Schema extends z.ZodType>(schema: Schema) {
  const isGiven = (answer: unknown) => {
    if (areChecked) schema.parse(JSON.parse(JSON.stringify(answer)));
    return true;
  };
  const override = { $ref: `#/components/schemas/${schema.meta()?.id}` };
  const output = z.custom<Given<z.output<Schema>>>(isGiven).meta({ override });
  documents.set(output, schema);
  return output;
}

export const schemaOf = (output: z.ZodType): z.ZodType => documents.get(output) ?? output;
