// REST: mounts a route for every query. A route reads the query string, calls the procedure, and sends the answer.
import { basename } from 'node:path/posix';
import { Readable } from 'node:stream';
import { callTRPCProcedure } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CSV_TYPE, FILES, type FileType, FORMATS } from '../contract/media-types.ts';
import type { Context } from '../operations/context.ts';
import { type Route, routes } from '../operations/internals/routes.ts';
import { appRouter } from '../operations/router.ts';
import { type FilePiece, PointsFile } from '../points/points.ts';
import { holdBytes } from './answer-bytes.ts';
import { mountLive } from './event-stream.ts';
import { chooseType, vary } from './negotiation.ts';
import { createAnswerWriter, send } from './send.ts';
import { type Query, REST_PREFIX, type Service, serviceDesc } from './service.ts';

const DECIMAL = /^-?\d+(\.\d+)?$/;
const WHOLE = /^-?\d+$/;

export function mountRest(app: FastifyInstance, service: Service): void {
  for (const route of routes.values())
    if (route.isStream) mountLive(app, route, service);
    else mountRoute(app, route, service);
}

function mountRoute(app: FastifyInstance, route: Route, service: Service): void {
  const { name, types, isProbe, cache } = route;
  const { admission, cacheControl, contextOf } = service;
  const readQuery = createQueryReader(route.input);
  const write = createAnswerWriter(route);
  const hasPoints = route.output instanceof z.ZodObject && 'points' in route.output.shape;
  const config = { transport: 'rest', operation: name } as const;
  const document = serviceDesc(`${REST_PREFIX}${route.path}`);
  app.get<{ Querystring: Query }>(`${REST_PREFIX}${route.path}`, { config }, async (request, reply) => {
    if (types.length > 1) vary(reply, 'accept');
    const query = readQuery(request.query);
    const accept = isProbe ? undefined : request.headers.accept;
    const type = chooseType(offered(types, query), accept, hasPoints ? filesOf(request.url) : undefined);
    reply.header('link', document);
    await holdBytes(request, reply, admission, [{ path: name, getRawInput: async () => query }]);
    const ctx = contextOf(request, 'rest', type);
    const answer = await callQuery(name, query, ctx);
    if (answer instanceof PointsFile) return sendFile(request, reply, service, answer, ctx.fileType);
    if ('next_cursor' in answer && typeof answer.next_cursor === 'string')
      reply.header('link', `${nextPage(request.url, answer.next_cursor)}, ${document}`);
    if (type === CSV_TYPE) reply.headers(historyHeader(answer));
    const keeping = cacheControl.keeping(cache, query, answer, ctx.now);
    return send(request, reply, {
      type,
      cacheControl: cacheControl.header([keeping]),
      body: Buffer.from(write(answer, type)), // Fastify would add a charset to a text
    });
  });
}

/** Its points stay text: {@link createAnswerWriter} writes them. */
export const callQuery = (path: string, input: object, ctx: Context): Promise<object> =>
  callTRPCProcedure({
    router: appRouter,
    path,
    type: 'query',
    getRawInput: async () => input,
    ctx,
    signal: undefined,
    batchIndex: 0,
  });

/** Reads plain decimals as numbers if the input declares a number. Its schema refuses other forms, which stay texts. */
function createQueryReader(input: z.ZodType): (query: Query) => Query {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
  const forms = Object.entries(properties).flatMap(([name, schema]) => {
    const choices = typeof schema === 'object' ? [schema, ...(schema.anyOf ?? [])] : [];
    const isOf = (type: string) => choices.some((each) => typeof each === 'object' && each.type === type);
    const form = isOf('integer') ? WHOLE : isOf('number') ? DECIMAL : undefined;
    return form ? [[name, form] as const] : [];
  });
  return (query) => {
    const read = { ...query };
    for (const [name, form] of forms) {
      const given = query[name];
      if (typeof given === 'string' && form.test(given)) read[name] = Number(given);
    }
    return read;
  };
}

/** Pages of points are JSON. Refusals of other types name the operation that returns files. */
const filesOf = (url: string) =>
  `. For a file of points, use ${url.slice(0, url.indexOf(REST_PREFIX))}${REST_PREFIX}/export/csv`;

/** The query parameter `format` replaces Accept, because links on web pages cannot send headers. */
function offered(types: readonly string[], { format }: Query): readonly string[] {
  const named = Object.entries(FORMATS).find(([name]) => name === format)?.[1];
  return named !== undefined && types.includes(named) ? [named] : types;
}

/** Waits for the first chunk: until then, a failure gets a problem response. Later ones destroy the connection. */
async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { cacheControl }: Service,
  file: PointsFile,
  type: FileType,
) {
  const pieces = file.pieces[Symbol.asyncIterator]();
  const first = await pieces.next();
  const isRead = request.method !== 'HEAD' && !reply.raw.destroyed;
  if (!isRead) await pieces.return?.(); // an unread stream would never begin, and so never end
  const body = isRead ? wholeFile(first, pieces, request) : [];
  return send(request, reply, {
    type,
    cacheControl: cacheControl.header(['never']),
    headers: {
      'content-disposition': `attachment; filename="${file.name}.${FILES[type].ending}"`,
      ...historyHeader(first.value),
    },
    body: Readable.from(body, { objectMode: false, highWaterMark: 65_536 }),
  });
}

/** Files and tables have no other place for it. */
const historyHeader = ({ history_until }: { readonly history_until?: unknown }) =>
  typeof history_until === 'string' ? { 'history-until': history_until } : {};

async function* wholeFile(
  first: IteratorResult<FilePiece>,
  rest: AsyncIterator<FilePiece>,
  { raw }: FastifyRequest,
) {
  let isWhole = false;
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value.bytes;
    isWhole = true;
  } finally {
    await rest.return?.();
    // in HTTP/1.0 the end of the connection ends the body (RFC 1945, 7.2.2), so only a reset shows a failure
    if (!isWhole && raw.httpVersion === '1.0') raw.socket.resetAndDestroy();
  }
}

/** Relative to the URL of the request, because a proxy may serve it below a path (RFC 8288, 3.1). */
function nextPage(url: string, cursor: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  searchParams.set('cursor', cursor);
  return `<${basename(pathname)}?${searchParams}>; rel="next"`;
}
