// tRPC: mounts the router at /trpc, for clients that know its types.
//
// Its own functions serve no call here. `callTRPCProcedure` copies a call seven times on its way through middlewares
// that have nothing to add, a seventh of the processor time of a small answer. `resolveResponse` makes an object of
// every point, four times the time of writing 10,000 of them, in one turn of the event loop. Neither knows of queues,
// shared answers and slow readers.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ask } from '../api/ask.ts';
import { operations } from '../api/router.ts';
import { MAX_BATCH_SIZE } from '../contract/batch-limits.ts';
import { AppError, badParameter } from '../errors.ts';
import { cutSlowReader } from '../load/slow-readers.ts';
import { CACHE_CONTROL } from './cache-control.ts';
import { sendEvents, withLastEventId } from './event-stream.ts';
import { vary } from './negotiation.ts';
import { problemContent, RETRY_AFTER_SECONDS, Refusal, removeAnswer, STATUS } from './problem.ts';
import { namesOf } from './request-accounting.ts';
import type { Service } from './service.ts';
import { linesOf } from './trpc-lines.ts';
import { failed, type Outcome, outcomeOf, type RpcCall } from './trpc-outcomes.ts';

/** What a request accepts whose answers are sent one by one, as each is ready. */
const STREAMED = 'application/jsonl';

/** How many calls of a request are answered at a time, streamed or not. */
const CALLS_AT_A_TIME = 4;

/** The paths that are answered here: a procedure, or several with commas between. */
export const RPC_PATH = /^\/trpc\/[^/]+$/;

/**
 * Every procedure is a query, so all are asked with GET. Fastify answers HEAD and all other methods, as it does
 * everywhere.
 */
export function mountRpc(app: FastifyInstance, service: Service): void {
  const { send, admission } = service;
  // also what is refused before a route is asked has tRPC's envelope, for its clients to read
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof Refusal) return send(request, reply, problemContent(error, request, reply));
    removeAnswer(reply);
    return sendOutcomes([failed(error, request, namesOf(request).join())], request, reply, service);
  };
  const config = { transport: 'rpc' } as const;
  app.get<{ Querystring: Query }>('/trpc/:path', { config, errorHandler }, async (request, reply) => {
    vary(reply, 'trpc-accept, accept');
    const { calls, isBatch } = readCalls(request, request.query, service);
    const subscription = calls.find(({ operation }) => operation?.kind === 'stream');
    if (subscription?.operation) {
      const { operation, name, input, caller } = subscription;
      if (isBatch) throw badParameter('batch', `must be left out for ${name}, which is a subscription`);
      const question = operation.read(withLastEventId(request, input));
      return sendEvents(request, reply, service, 'rpc', () => ask(question, caller, service));
    }
    if (isStreamAsked(request)) {
      if (calls.some(({ operation }) => operation?.kind === 'file'))
        cutSlowReader(reply.raw, reply.log, () => admission.exports.waiting > 0, admission.slowReaders);
      const lines = request.method === 'HEAD' ? [] : linesOf(calls, CALLS_AT_A_TIME, service);
      return send(request, reply, {
        type: 'application/json',
        cacheControl: CACHE_CONTROL.never,
        body: Readable.from(lines, { objectMode: false, highWaterMark: 65_536 }),
        flushMs: 5, // an answer that is ready is waited for
      });
    }
    return sendWhole(calls, isBatch, request, reply, service);
  });
}

/** As Fastify reads a query string: the value of a parameter that is given twice is an array. */
type Query = Record<string, string | string[]>;

/** Sends the outcomes in the order of the calls, some of which are made at a time. */
async function sendWhole(
  calls: readonly RpcCall[],
  isBatch: boolean,
  request: FastifyRequest,
  reply: FastifyReply,
  service: Service,
) {
  const outcomes: Outcome[] = [];
  const rest = calls.entries();
  const worker = async () => {
    for (const [i, call] of rest) outcomes[i] = await outcomeOf(call, service);
  };
  await Promise.all(Array.from({ length: CALLS_AT_A_TIME }, worker));
  return sendOutcomes(outcomes, request, reply, service, isBatch);
}

/**
 * Reads a request by tRPC's HTTP specification: `/trpc/a.b?input=JSON` for one call, and
 * `/trpc/a.b,c.d?batch=1&input={"0":JSON,"1":JSON}` for several.
 *
 * @throws AppError BAD_REQUEST
 */
function readCalls(request: FastifyRequest, query: Query, { callerOf }: Service) {
  const { input, batch, ...others } = query;
  const errors = Object.keys(others).map((parameter) => ({
    parameter,
    detail: 'is not a parameter of /trpc, which takes input and batch',
  }));
  if (errors.length > 0) throw new AppError('BAD_REQUEST', 'Invalid parameters', { errors });
  if (batch !== undefined && batch !== '1')
    throw badParameter('batch', 'must be 1, or left out for one call');
  const given = parse(Array.isArray(input) ? input[0] : input);
  const caller = callerOf(request);
  const callOf = (name: string, input: unknown): RpcCall => {
    return { name, operation: operations.get(name), input, caller, request };
  };
  const names = namesOf(request);
  if (batch === undefined) {
    if (isStreamAsked(request))
      throw new AppError('BAD_REQUEST', 'Streaming requests must be batched (you can do a batch of 1)');
    return { calls: [callOf(names.join(), given)], isBatch: false };
  }
  if (names.length > MAX_BATCH_SIZE)
    throw new AppError(
      'BAD_REQUEST',
      `A batch may hold at most ${MAX_BATCH_SIZE} calls, not ${names.length}`,
    );
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given)))
    throw badParameter('input', 'must be an object with an input for each call of the batch, by its number');
  const inputs = new Map(Object.entries(given ?? {}));
  const stray = Array.from(inputs.keys()).find((key) => !names.some((_, i) => String(i) === key));
  if (stray !== undefined)
    throw badParameter(
      'input',
      `must have the numbers of the calls as keys, from 0, not "${stray.slice(0, 80)}"`,
    );
  return { calls: names.map((name, i) => callOf(name, inputs.get(String(i)))), isBatch: true };
}

function parse(input: string | undefined): unknown {
  if (!input) return undefined;
  try {
    return JSON.parse(input);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', 'The input is not valid JSON', { cause });
  }
}

function sendOutcomes(
  outcomes: readonly Outcome[],
  request: FastifyRequest,
  reply: FastifyReply,
  { send, cacheControl }: Service,
  isBatch = false,
) {
  const statuses = new Set(outcomes.map((outcome) => outcome.status));
  const [first = 200, ...others] = statuses;
  if (statuses.has(STATUS.SERVICE_UNAVAILABLE)) reply.header('retry-after', String(RETRY_AFTER_SECONDS));
  const texts = outcomes.map(({ text }) => text).join();
  return send(request, reply, {
    status: others.length === 0 ? first : 207,
    type: 'application/json',
    cacheControl: cacheControl.header(outcomes.map(({ keeping }) => keeping)),
    body: isBatch ? `[${texts}]` : texts,
  });
}

function isStreamAsked({ headers }: FastifyRequest): boolean {
  const { accept, 'trpc-accept': asked = accept } = headers;
  return String(asked).includes(STREAMED);
}
