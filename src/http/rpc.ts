// tRPC: mounts the router at /trpc, for clients that know its types.
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_BATCH_SIZE } from '../contract/transport.ts';
import { call } from '../procedures/call.ts';
import { fillIn, type Texts } from '../procedures/json-text.ts';
import { appRouter } from '../procedures/router.ts';
import { type Context, publicError } from '../procedures/trpc.ts';
import { NOT_STORED, REVALIDATED } from './caching.ts';
import { vary } from './encoding.ts';
import { signalOf } from './gone.ts';
import { type Document, isCacheable, isStreamed, procedureOf } from './openapi.ts';
import { logFault, RETRY_AFTER_SECONDS } from './problem.ts';

const PREFIX = '/trpc';

/** What a request accepts whose answers are sent one by one, as each is ready. */
const STREAMED = 'application/jsonl';

/** What tRPC's answers vary by. */
const VARY = 'trpc-accept, accept';

/** The paths that are answered here: a procedure, or several with commas between. */
export const RPC_PATH = /^\/trpc\/[^/]+$/;

/**
 * Every procedure is a query, so all are asked with GET, and Fastify answers HEAD and the methods that do not
 * exist as it does everywhere. One call is made here, as on REST; whatever else there may be is left to tRPC.
 */
export function mountRpc(
  app: FastifyInstance,
  document: Document,
  createContext: (request: FastifyRequest) => Context,
): void {
  const operations = Object.values(document.paths ?? {}).flatMap(({ get }) => get ?? []);
  const cacheable = new Set(operations.filter(isCacheable).map(procedureOf));
  for (const operation of operations) if (!isStreamed(operation)) mountCall(procedureOf(operation));
  app.get(`${PREFIX}/:path`, (request, reply) => handOver(request, reply));

  function mountCall(path: string): void {
    const kept = cacheable.has(path) ? REVALIDATED : NOT_STORED;
    app.get(`${PREFIX}/${path}`, async (request, reply) => {
      const input = loneInput(request);
      if (!input) return handOver(request, reply);
      const texts: Texts = new Map();
      try {
        const data = await call(path, input.value, { ...createContext(request), texts });
        vary(reply, VARY);
        reply.headers({ 'content-type': 'application/json', 'cache-control': kept });
        return fillIn(JSON.stringify({ result: { data } }), texts);
      } catch (error) {
        return handOver(request, reply, error);
      }
    });
  }

  /** Lets tRPC answer. A call that failed already is not made again: tRPC only says so, in its own form. */
  async function handOver(request: FastifyRequest, reply: FastifyReply, failure?: unknown) {
    const texts: Texts = new Map();
    const wantsStream = isStreamAsked(request);
    const response = await fetchRequestHandler({
      endpoint: PREFIX,
      router: appRouter,
      req: new Request(new URL(request.url, 'http://localhost'), {
        headers: { 'content-type': 'application/json', ...(wantsStream && { 'trpc-accept': STREAMED }) },
        ...(wantsStream && { signal: signalOf(reply) }), // other answers are shared: no caller ends them
      }),
      maxBatchSize: MAX_BATCH_SIZE,
      createContext: () => {
        if (failure) throw failure;
        return { ...createContext(request), ...(!wantsStream && { texts }) };
      },
      onError: ({ error }) => logFault(request, publicError(error)),
      responseMeta: ({ errors, paths = [] }) => {
        const isKept = errors.length === 0 && paths.every((path) => cacheable.has(path));
        const headers = new Headers([['cache-control', isKept ? REVALIDATED : NOT_STORED]]);
        if (errors.some(({ code }) => code === 'SERVICE_UNAVAILABLE')) {
          headers.set('retry-after', String(RETRY_AFTER_SECONDS));
        }
        return { headers };
      },
    });
    const { 'transfer-encoding': streamed, vary: _, ...headers } = Object.fromEntries(response.headers);
    vary(reply, VARY);
    reply.status(response.status).headers({ 'cache-control': NOT_STORED, ...headers });
    if (!streamed) return reply.send(fillIn(await response.text(), texts));
    reply.header('cache-control', NOT_STORED);
    if (request.method !== 'HEAD')
      return reply.send(response.body && Readable.fromWeb(response.body as ReadableStream));
    await response.body?.cancel(); // or the work would go on for nobody
    return reply.send(Readable.from([]));
  }
}

/** The input of a request that makes one call; undefined where it makes several, or tRPC is to say what is wrong. */
function loneInput(request: FastifyRequest): { value: unknown } | undefined {
  const { input, ...others } = request.query as Record<string, string | string[]>;
  if (Object.keys(others).length > 0 || Array.isArray(input) || isStreamAsked(request)) return undefined;
  try {
    return { value: input === undefined ? undefined : JSON.parse(input) };
  } catch {
    return undefined;
  }
}

function isStreamAsked({ headers }: FastifyRequest): boolean {
  const { accept, 'trpc-accept': asked = accept } = headers;
  return String(asked).includes(STREAMED);
}
