// What a call through /trpc ends with: its answer or its error, in tRPC's envelope.
import { getTRPCErrorFromUnknown, getTRPCErrorShape, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import type { FastifyRequest } from 'fastify';
import { appRouter, call, declarations } from '../procedures/router.ts';
import { type Context, publicError } from '../procedures/trpc.ts';
import type { CacheControl, Keeping } from './cache-control.ts';
import { leavingOf } from './caller.ts';
import { noteCall } from './calls.ts';
import { type Json, json } from './json.ts';
import { logFault } from './problem.ts';

export interface Outcome {
  readonly text: Json;
  readonly keeping: Keeping;
  readonly status: number;
}

/** One call of a request. */
export interface RpcCall {
  readonly path: string;
  readonly input: unknown;
  readonly ctx: Context;
  readonly request: FastifyRequest;
}

/** Makes a call whose answer is one value; its error is an outcome too. */
export async function outcomeOf(
  { path, input, ctx, request }: RpcCall,
  cacheControl: CacheControl,
): Promise<Outcome> {
  const start = performance.now();
  try {
    const declaration = declarations.get(path);
    if (!declaration)
      throw new TRPCError({ code: 'NOT_FOUND', message: `No procedure found on path "${path}"` });
    const data = await call(path, input, ctx, leavingOf(request));
    if (declaration.isStreamed)
      throw new TRPCError({
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'Cannot use stream-like response in non-streaming request - use httpBatchStreamLink',
      });
    noteOutcome(request, path, start, 200, data);
    const keeping = cacheControl.keeping(declaration.cache, input, data, ctx.now);
    return { text: await json(data, '{"result":{"data":', '}}'), keeping, status: 200 };
  } catch (error) {
    const outcome = failed(error, request, path);
    noteOutcome(request, path, start, outcome.status);
    return outcome;
  }
}

function noteOutcome(request: FastifyRequest, path: string, start: number, status: number, data?: unknown) {
  const call = noteCall(request, path, data);
  if (call) Object.assign(call, { status, ms: performance.now() - start });
}

/** The outcome of an error, which is logged where it is the service's own. */
export function failed(cause: unknown, request: FastifyRequest, path?: string): Outcome {
  const { status, shape } = failureOf(cause, request, path);
  return { text: JSON.stringify({ error: shape }), keeping: 'never', status };
}

/** @returns the status of an error and its shape for tRPC's clients; logs it where it is the service's own */
export function failureOf(cause: unknown, request: FastifyRequest, path?: string) {
  const error = getTRPCErrorFromUnknown(cause);
  logFault(request, publicError(error));
  const { _config: config } = appRouter._def;
  const shape = getTRPCErrorShape({ config, error, path, type: 'query', input: undefined, ctx: undefined });
  return { status: getHTTPStatusCodeFromError(error), shape };
}
