// tRPC: mounts the router at /trpc, for clients that know its types.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_BATCH_SIZE } from '../contract/transport.ts';
import { AppError, badParameter } from '../errors.ts';
import { sendBody } from '../load/slow-readers.ts';
import { call, declarations } from '../procedures/router.ts';
import { CACHE_CONTROL, type CacheControl } from './cache-control.ts';
import { vary } from './caching-and-compression.ts';
import { leavingOf } from './caller.ts';
import { sendEvents, withLastEventId } from './event-stream.ts';
import { joined } from './json.ts';
import { RETRY_AFTER_SECONDS, replaceAnswer, STATUS } from './problem.ts';
import { failed, type Outcome, outcomeOf } from './rpc-outcome.ts';
import { linesOf } from './rpc-stream.ts';
import type { Transport } from './transport.ts';

const PREFIX = '/trpc';

/** What a request accepts whose answers are sent one by one, as each is ready. */
const STREAMED = 'application/jsonl';

/** What tRPC's answers vary by. */
const VARY = 'trpc-accept, accept';

/** The paths that are answered here: a procedure, or several with commas between. */
export const RPC_PATH = /^\/trpc\/[^/]+$/;

/** What a request asks for. */
interface Calls {
  readonly paths: readonly string[];
  /** One for each path. */
  readonly inputs: readonly unknown[];
  readonly isBatch: boolean;
}

/**
 * Every procedure is a query, so all are asked with GET. Fastify answers HEAD and all other methods, as it does
 * everywhere.
 */
export function mountRpc(app: FastifyInstance, transport: Transport): void {
  const { createContext, admission, outgoing, cacheControl } = transport;
  // also what is refused before a route is asked has tRPC's envelope, for its clients to read
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    replaceAnswer(reply);
    return send([failed(error, request, (request.params as { path?: string }).path)], reply, cacheControl);
  };
  const config = { transport: 'rpc' } as const;
  app.get(`${PREFIX}/:path`, { config, errorHandler }, async (request, reply) => {
    vary(reply, VARY);
    const { paths, inputs, isBatch } = readCalls(request);
    const subscription = paths.find((path) => declarations.get(path)?.isSubscription);
    if (subscription && isBatch)
      throw badParameter('batch', `must be left out for ${subscription}, which is a subscription`);
    if (subscription)
      return sendEvents(request, reply, transport, () =>
        call(subscription, withLastEventId(request, inputs[0]), createContext(request), leavingOf(request)),
      );
    const isStream = isStreamAsked(request); // its calls are begun all at once, and each waits for a place of its own
    const place = isBatch && !isStream ? admission.enterBatch(request, paths, inputs) : undefined;
    const leave = await place?.entered;
    const ctx = createContext(request, place !== undefined);
    const calls = paths.map((path, i) => ({ path, input: inputs[i], ctx, request }));
    if (isStream) {
      admission.stream(reply, paths);
      reply.headers({ 'content-type': 'application/json', 'cache-control': CACHE_CONTROL.never });
      const lines = request.method === 'HEAD' ? [] : linesOf(calls, outgoing, cacheControl);
      return reply.send(Readable.from(lines, { objectMode: false, highWaterMark: 65_536 }));
    }
    const work = calls.map((call) => () => outcomeOf(call, cacheControl));
    const outcomes = await inTurn(work, place?.callsAtATime ?? work.length).finally(leave);
    return send(outcomes, reply, cacheControl, isBatch);
  });
}

/** Does so much work at a time, and gives the results in the order of the work. */
async function inTurn<T>(work: readonly (() => Promise<T>)[], atATime: number): Promise<T[]> {
  const results: T[] = [];
  const rest = work.entries();
  const worker = async () => {
    for (const [i, run] of rest) results[i] = await run();
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return results;
}

/**
 * Reads a request by tRPC's HTTP specification: `/trpc/a.b?input=JSON` for one call, and
 * `/trpc/a.b,c.d?batch=1&input={"0":JSON,"1":JSON}` for several.
 *
 * @throws AppError BAD_REQUEST
 */
function readCalls(request: FastifyRequest): Calls {
  const { path } = request.params as { path: string };
  const { input, batch, ...others } = request.query as Record<string, string | string[]>;
  const errors = Object.keys(others).map((parameter) => ({
    parameter,
    detail: 'is not a parameter of /trpc, which takes input and batch',
  }));
  if (errors.length > 0) throw new AppError('BAD_REQUEST', 'Invalid parameters', { errors });
  if (batch !== undefined && batch !== '1')
    throw badParameter('batch', 'must be 1, or left out for one call');
  const given = parse(Array.isArray(input) ? input[0] : input);
  if (batch === undefined) {
    if (isStreamAsked(request))
      throw new AppError('BAD_REQUEST', 'Streaming requests must be batched (you can do a batch of 1)');
    return { paths: [path], inputs: [given], isBatch: false };
  }
  const paths = path.split(',');
  if (paths.length > MAX_BATCH_SIZE)
    throw new AppError(
      'BAD_REQUEST',
      `A batch may hold at most ${MAX_BATCH_SIZE} calls, not ${paths.length}`,
    );
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given)))
    throw badParameter('input', 'must be an object with an input for each call of the batch, by its number');
  const inputs = new Map(Object.entries(given ?? {}));
  const stray = Object.keys(given ?? {}).find((key) => !paths.some((_, i) => String(i) === key));
  if (stray !== undefined)
    throw badParameter(
      'input',
      `must have the numbers of the calls as keys, from 0, not "${stray.slice(0, 80)}"`,
    );
  return { paths, inputs: paths.map((_, i) => inputs.get(String(i))), isBatch: true };
}

function parse(input: string | undefined): unknown {
  if (!input) return undefined;
  try {
    return JSON.parse(input);
  } catch (cause) {
    throw new AppError('BAD_REQUEST', 'The input is not valid JSON', { cause });
  }
}

function send(
  outcomes: readonly Outcome[],
  reply: FastifyReply,
  cacheControl: CacheControl,
  isBatch = false,
) {
  const statuses = new Set(outcomes.map((outcome) => outcome.status));
  const [status = 200, ...others] = statuses;
  if (statuses.has(STATUS.SERVICE_UNAVAILABLE)) reply.header('retry-after', String(RETRY_AFTER_SECONDS));
  const texts = outcomes.flatMap(({ text }, i) => (i === 0 ? [text] : [',', text]));
  reply.status(others.length === 0 ? status : 207).headers({
    'content-type': 'application/json',
    'cache-control': cacheControl.header(outcomes.map(({ keeping }) => keeping)),
  });
  return sendBody(reply, joined(isBatch ? ['[', ...texts, ']'] : texts));
}

function isStreamAsked({ headers }: FastifyRequest): boolean {
  const { accept, 'trpc-accept': asked = accept } = headers;
  return String(asked).includes(STREAMED);
}
