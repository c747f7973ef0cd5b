// tRPC: serves the router at /trpc with tRPC's own adapter, for typed clients, and to a client in this process.
import { Readable } from 'node:stream';
import { createTRPCClient, localLink, retryLink, type TRPCClient } from '@trpc/client';
import { getTRPCErrorFromUnknown, type TRPCError } from '@trpc/server';
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_BATCH_SIZE } from '../contract/batch-limits.ts';
import { EVENT_STREAM, JSON_TYPE } from '../contract/media-types.ts';
import { AppError, publicError, Refusal } from '../errors.ts';
import type { Context } from '../operations/context.ts';
import { routes } from '../operations/internals/routes.ts';
import { type AppRouter, appRouter } from '../operations/router.ts';
import { formatError } from '../operations/trpc.ts';
import { HeldPages } from '../points/held-pages.ts';
import { holdBytes } from './answer-bytes.ts';
import { CACHE_CONTROL, type CacheControl } from './cache-control.ts';
import { chooseCoding, compress, compressStream, vary } from './negotiation.ts';
import { logFault, problemContent, RETRY_AFTER_SECONDS, removeAnswer } from './problem.ts';
import { namesOf } from './request-accounting.ts';
import { codingOf, limitReader, send } from './send.ts';
import type { Service } from './service.ts';

/** How long compression may hold back a stream of answers, in milliseconds. */
const FLUSH_MS = 5;

type Options = FastifyTRPCPluginOptions<AppRouter>['trpcOptions'];

export async function mountTrpc(app: FastifyInstance, service: Service): Promise<void> {
  const { admission, cacheControl, contextOf } = service;
  await app.register(async (rpc) => {
    rpc.addHook('onRoute', (route) => {
      route.config = { ...route.config, transport: 'rpc' };
    });
    rpc.addHook('onRequest', async (request) => {
      const names = namesOf(request);
      if (names.length > MAX_BATCH_SIZE)
        throw new AppError(
          'BAD_REQUEST',
          `A batch may hold at most ${MAX_BATCH_SIZE} calls, not ${names.length}`,
        );
    });
    rpc.addHook('onSend', compressed);
    // tRPC clients need tRPC's envelope even for errors before the adapter runs
    rpc.setErrorHandler((error, request, reply) => {
      if (error instanceof Refusal) return send(request, reply, problemContent(error, request, reply));
      removeAnswer(reply);
      return sendError(getTRPCErrorFromUnknown(error), request, reply);
    });
    const trpcOptions: Options = {
      router: appRouter,
      createContext: async ({ req, res, info }) => {
        await holdBytes(req, res, admission, info.calls);
        req.pages = new HeldPages();
        return contextOf(req, 'rpc', JSON_TYPE);
      },
      onError: ({ error, path, req }) => {
        logFault(req, publicError(error));
        if (path !== undefined && !routes.has(path))
          req.calls?.push({ operation: 'unknown', points: 0, status: getHTTPStatusCodeFromError(error) });
      },
      responseMeta: (response) => ({ headers: headersOf(response, cacheControl) }),
    };
    await rpc.register(fastifyTRPCPlugin, { prefix: '/trpc', trpcOptions });
  });
}

type ResponseMeta = Parameters<NonNullable<Options['responseMeta']>>[0];

/** The strictest cache policy of all answers applies. Streams are never cached: headers precede their answers. */
function headersOf({ ctx, info, data, errors, type, eagerGeneration }: ResponseMeta, cache: CacheControl) {
  const headers = new Headers();
  if (errors.some((error) => publicError(error).code === 'SERVICE_UNAVAILABLE'))
    headers.set('retry-after', String(RETRY_AFTER_SECONDS));
  if (type === 'subscription') return headers; // tRPC has set it
  const keepings = data.map((each, index) => {
    const call = info?.calls[index];
    if (!ctx || !call || !('result' in each)) return 'never';
    const answer = Object(Reflect.get(each.result, 'data'));
    return cache.keeping(routes.get(call.path)?.cache, Object(call.result()), answer, ctx.now);
  });
  headers.set('cache-control', eagerGeneration ? CACHE_CONTROL.never : cache.header(keepings));
  return headers;
}

function sendError(error: TRPCError, request: FastifyRequest, reply: FastifyReply) {
  logFault(request, publicError(error));
  const { code, message } = error;
  const status = getHTTPStatusCodeFromError(error);
  const data = { code, httpStatus: status, path: namesOf(request).join() };
  const shape = formatError({ error, shape: { message, code: TRPC_ERROR_CODES_BY_KEY[code], data } });
  if (code === 'SERVICE_UNAVAILABLE') reply.header('retry-after', String(RETRY_AFTER_SECONDS));
  reply.headers({ 'content-type': 'application/json', 'cache-control': CACHE_CONTROL.never });
  return reply.status(status).send(JSON.stringify({ error: shape }));
}

/** Compresses the adapter's answers, but not events, because these must leave at once. */
async function compressed(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  if (!(payload instanceof Response)) return payload;
  reply.status(payload.status);
  for (const [name, value] of payload.headers)
    if (name === 'vary') vary(reply, value);
    else if (value.startsWith('text/plain'))
      reply.header(name, JSON_TYPE); // an error of the whole request
    else if (name !== 'connection' && name !== 'transfer-encoding') reply.header(name, value);
  const { body, headers } = payload;
  if (body === null || headers.get('content-type')?.startsWith(EVENT_STREAM)) return body;
  vary(reply, 'accept-encoding');
  const { pages = new HeldPages() } = request;
  const isStreamed = headers.has('transfer-encoding');
  if (!isStreamed) limitReader(reply);
  const sent = isStreamed
    ? Readable.from(body.pipeThrough(filling(pages)))
    : pages.fill(Buffer.from(await payload.arrayBuffer()));
  const coding = codingOf(sent, chooseCoding(request.headers['accept-encoding']));
  if (coding) reply.header('content-encoding', coding);
  if (sent instanceof Readable) return coding ? compressStream(sent, coding, FLUSH_MS) : sent;
  const whole = coding ? await compress(sent, coding) : sent;
  request.keepBytes?.(whole.length);
  return whole;
}

/** Fills the lines of a stream. Each chunk is a line. */
const filling = (pages: HeldPages) =>
  new TransformStream<Uint8Array, Buffer>({
    transform: (line, out) => out.enqueue(pages.fill(Buffer.from(line))),
  });

declare module 'fastify' {
  interface FastifyInstance {
    /** A client of a station that needs no key and has no limits. It fails if there is no such station. */
    clientOf(station: string): TRPCClient<AppRouter>;
  }
}

/** The wait before a subscription that could not begin, or broke off, begins again. */
const RETRY_MS = 2000;

/** @param createContext called for each call. The call's own signal replaces that of the context */
export function createLocalClient(
  createContext: () => Promise<Context>,
  log: FastifyBaseLogger,
): TRPCClient<AppRouter> {
  return createTRPCClient<AppRouter>({
    links: [
      retryLink({ retry: ({ op }) => op.type === 'subscription', retryDelayMs: () => RETRY_MS }),
      localLink({
        router: appRouter,
        createContext,
        onError: ({ error, path }) => {
          const shown = publicError(error);
          if (shown.status === 500) log.error({ operation: path, err: shown.cause ?? shown }, shown.message);
        },
      }),
    ],
  });
}
