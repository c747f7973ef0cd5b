// REST: mounts one route for every operation of the OpenAPI document, which calls its tRPC procedure.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE, LINES, type LinesType } from '../contract/media-types.ts';
import { sendBody } from '../load/slow-readers.ts';
import type { FilePiece, Points } from '../points/points.ts';
import { call } from '../procedures/router.ts';
import { vary } from './caching-and-compression.ts';
import { leavingOf } from './caller.ts';
import { type Call, noteCall } from './calls.ts';
import { sendEvents, withLastEventId } from './event-stream.ts';
import { json } from './json.ts';
import { createTypeChooser } from './negotiation.ts';
import { type Document, operationsOf } from './openapi.ts';
import { REST_PREFIX, SERVICE_DESC } from './paths.ts';
import { sendNotAcceptable } from './problem.ts';
import type { Transport } from './transport.ts';

/** Mounts the operations of `document`. What it does not describe does not exist. */
export function mountRest(app: FastifyInstance, document: Document, transport: Transport): void {
  const { createContext, admission, cacheControl } = transport;
  for (const { path, procedure, parameterTypes, declaration } of operationsOf(document)) {
    const { cache, types, isStreamed, isProbe } = declaration;
    const chooseType = createTypeChooser(types);
    const config = { transport: 'rest', operation: procedure } as const;
    app.get(`${REST_PREFIX}${path}`, { config }, async (request, reply) => {
      if (types.length > 1) vary(reply, 'accept');
      const type = chooseType(isProbe ? undefined : request.headers.accept);
      if (!type) return sendNotAcceptable('Accept', types, reply);
      reply.header('link', SERVICE_DESC);
      const ctx = createContext(request);
      const input = readQuery(request.query, parameterTypes);
      if (declaration.isSubscription)
        return sendEvents(request, reply, transport, () =>
          call(procedure, withLastEventId(request, input), ctx, leavingOf(request)),
        );
      const answer = await call(procedure, input, ctx, leavingOf(request));
      const keeping = cacheControl.keeping(cache, input, answer, ctx.now);
      reply.header('cache-control', cacheControl.header([keeping]));
      reply.type(type);
      if (isStreamed) {
        admission.stream(reply, [procedure]);
        const { ending } = LINES[type as LinesType];
        reply.header('content-disposition', `attachment; filename="${ctx.fileName}.${ending}"`);
        return sendFile(procedure, answer as AsyncIterable<FilePiece>, type as LinesType, reply);
      }
      noteCall(request, procedure, answer);
      const next = nextPage(request.url, answer);
      if (next) reply.header('link', `<${next}>; rel="next", ${SERVICE_DESC}`);
      const text = type === JSON_TYPE ? json(answer) : (answer as Page).points.lines(type as LinesType);
      return sendBody(reply, text instanceof Promise ? await text : text);
    });
  }
}

/** What an answer is that has lines. */
interface Page {
  readonly points: Points;
}

const DECIMAL = /^-?\d+(\.\d+)?$/;
const WHOLE = /^-?\d+$/;

/**
 * Plain decimals become numbers where a number is declared. Everything else stays as it was sent, for the
 * input schema to refuse: other text, undeclared parameters, and as arrays those that are given twice.
 *
 * @param query as Fastify reads it
 */
function readQuery(query: unknown, types: ReadonlyMap<string, string>): unknown {
  const input = query as Record<string, unknown>;
  for (const name in input) {
    const [given, type] = [input[name], types.get(name)];
    if (typeof given !== 'string') continue;
    const isNumber = (type === 'number' && DECIMAL.test(given)) || (type === 'integer' && WHOLE.test(given));
    if (isNumber) input[name] = Number(given);
  }
  return input;
}

/**
 * Sends a file as it is made. The first piece is awaited before the status goes out, so a query that fails at
 * once is still a problem; one that fails later destroys the connection.
 */
async function sendFile(
  procedure: string,
  answer: AsyncIterable<FilePiece>,
  type: LinesType,
  reply: FastifyReply,
) {
  const { request } = reply;
  const pieces = answer[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (request.method === 'HEAD' || reply.raw.destroyed) {
    await pieces.return?.(); // a stream that nobody reads would never begin, and so never end
    return reply.send(Readable.from([])); // not nothing, for which the length 0 would be stated
  }
  const all = resumed(first, pieces, type, request, noteCall(request, procedure));
  return reply.send(Readable.from(all, { objectMode: false, highWaterMark: 65_536 }));
}

async function* resumed(
  first: IteratorResult<FilePiece>,
  rest: AsyncIterator<FilePiece>,
  type: LinesType,
  { raw }: FastifyRequest,
  call: Call | undefined,
) {
  let isWhole = false;
  try {
    for (let next = first; !next.done; next = await rest.next()) {
      if (call) call.points += next.value.points;
      yield next.value.as(type);
    }
    isWhole = true;
  } finally {
    // in HTTP/1.0 a body ends where the connection does (RFC 1945, 7.2.2): only a reset tells that it broke off
    if (!isWhole && raw.httpVersion === '1.0') raw.socket.resetAndDestroy();
    await rest.return?.();
  }
}

/** @returns the address of the next page, where the answer is a page that has one. */
function nextPage(url: string, answer: unknown): string | undefined {
  const cursor = (answer as { next_cursor?: unknown }).next_cursor;
  if (typeof cursor !== 'string') return undefined;
  const mark = url.indexOf('?');
  const parameters = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  parameters.set('cursor', cursor);
  return `${mark < 0 ? url : url.slice(0, mark)}?${parameters}`;
}
