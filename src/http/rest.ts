// REST: mounts one route for every operation of the OpenAPI document, which calls its tRPC procedure.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { call } from '../procedures/call.ts';
import { fillIn, type Texts } from '../procedures/json-text.ts';
import type { Context } from '../procedures/trpc.ts';
import { NOT_STORED, REVALIDATED } from './caching.ts';
import { signalOf } from './gone.ts';
import { CSV_TYPE, type Document, isCacheable, isStreamed, procedureOf, REST_PREFIX } from './openapi.ts';
import { type DeclaredTypes, readQuery } from './query-string.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

type CreateContext = (request: FastifyRequest) => Context;

/** Mounts the operations of `document`. What it does not describe does not exist. */
export function mountRest(app: FastifyInstance, document: Document, createContext: CreateContext): void {
  for (const [path, { get }] of Object.entries(document.paths ?? {})) {
    if (!get) throw new Error(`${path} has no GET operation`);
    const procedure = procedureOf(get);
    const declared = (get.parameters ?? []) as {
      name: string;
      schema: { type: 'string' | 'number' | 'integer' };
    }[];
    const types: DeclaredTypes = new Map(declared.map(({ name, schema }) => [name, schema.type]));
    const kept = isCacheable(get) ? REVALIDATED : NOT_STORED;
    const streamed = isStreamed(get);
    app.get(`${REST_PREFIX}${path}`, async (request, reply) => {
      const texts: Texts = new Map();
      const ctx = { ...createContext(request), texts };
      const input = readQuery(request.query, types);
      // only a stream is ended by its caller: other answers are shared
      const answer = await call(procedure, input, ctx, streamed ? signalOf(reply) : undefined);
      reply.header('cache-control', kept);
      if (streamed) return sendStream(answer as AsyncIterable<Uint8Array>, ctx, request, reply);
      const next = nextPage(request.url, answer);
      if (next) reply.header('link', `<${next}>; rel="next"`);
      return reply.type(JSON_TYPE).send(fillIn(JSON.stringify(answer), texts));
    });
  }
}

/**
 * Sends a CSV file as it is made. The first piece is awaited before the status goes out, so a query that
 * fails at once is still a problem; one that fails later destroys the connection.
 */
async function sendStream(
  answer: AsyncIterable<Uint8Array>,
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const pieces = answer[Symbol.asyncIterator]();
  const first = await pieces.next();
  reply.type(CSV_TYPE).headers(ctx.headers);
  if (request.method === 'HEAD') {
    await pieces.return?.();
    return reply.send(Readable.from([])); // not nothing, for which the length 0 would be stated
  }
  const all = resumed(first, pieces, request);
  return reply.send(Readable.from(all, { objectMode: false, highWaterMark: 65_536 }));
}

async function* resumed(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
  { raw }: FastifyRequest,
) {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } catch (error) {
    // in HTTP/1.0 a body ends where the connection does: only a reset tells that there was to be more
    if (raw.httpVersion === '1.0') raw.socket.resetAndDestroy();
    throw error;
  } finally {
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
