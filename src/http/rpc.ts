// tRPC: mounts the router at /trpc, for clients that know its types.
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_BATCH_SIZE } from '../contract/transport.ts';
import { fillIn, type Texts } from '../procedures/json-text.ts';
import { appRouter } from '../procedures/router.ts';
import { type Context, publicError } from '../procedures/trpc.ts';
import { NOT_STORED, REVALIDATED } from './caching.ts';
import { signalOf } from './gone.ts';
import { type Document, isCacheable, procedureOf } from './openapi.ts';
import { logFault, RETRY_AFTER_SECONDS } from './problem.ts';

const PREFIX = '/trpc';

/** What a request accepts whose answers are sent one by one, as each is ready. */
const STREAMED = 'application/jsonl';

/** The paths that are answered here: a procedure, or several with commas between. */
export const RPC_PATH = /^\/trpc\/[^/]+$/;

/**
 * Every procedure is a query, so one GET route serves them all, and Fastify answers HEAD and the methods
 * that do not exist as it does everywhere.
 */
export function mountRpc(
  app: FastifyInstance,
  document: Document,
  createContext: (request: FastifyRequest) => Context,
): void {
  const operations = Object.values(document.paths ?? {}).flatMap(({ get }) => get ?? []);
  const cacheable = new Set(operations.filter(isCacheable).map(procedureOf));
  app.get(`${PREFIX}/:path`, async (request, reply) => {
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
      createContext: () => ({ ...createContext(request), ...(!wantsStream && { texts }) }),
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
    const { 'transfer-encoding': streamed, ...headers } = Object.fromEntries(response.headers);
    reply.status(response.status).headers({ 'cache-control': NOT_STORED, ...headers });
    if (!streamed) return reply.send(fillIn(await response.text(), texts));
    reply.header('cache-control', NOT_STORED);
    return reply.send(response.body && Readable.fromWeb(response.body as ReadableStream));
  });
}

function isStreamAsked({ headers }: FastifyRequest): boolean {
  const { accept, 'trpc-accept': asked = accept } = headers;
  return String(asked).includes(STREAMED);
}
