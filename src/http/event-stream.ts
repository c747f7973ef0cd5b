// Event streams on REST. Each event of audio.live becomes bytes once, for up to a thousand listeners.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { callTRPCProcedure, type TrackedEnvelope } from '@trpc/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EVENT_STREAM, JSON_TYPE } from '../contract/media-types.ts';
import { badInput } from '../errors.ts';
import { type Route, routes } from '../operations/internals/routes.ts';
import { appRouter } from '../operations/router.ts';
import { leavingOf } from './edge/caller.ts';
import { chooseCoding, chooseType, NotAcceptable } from './negotiation.ts';
import { namesOf } from './request-accounting.ts';
import { createAnswerWriter } from './send.ts';
import { type Query, REST_PREFIX, type Service, serviceDesc } from './service.ts';

const HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no', // nginx would hold events back
  connection: 'close', // ends the body without chunks, because these take longer to write
};

const PING_EVERY_MS = 15_000;

/** The longest wait for a slow reader. audio.live keeps frames for as long. */
const BEHIND_MS = 60_000;

/** How long the last bytes of an ended stream may take to send, in milliseconds. */
const LAST_BYTES_MS = 1000;

type Events = AsyncIterable<TrackedEnvelope<object>>;
type BytesOf = (event: TrackedEnvelope<object>) => Buffer;

/** When the service closes, cuts off the listeners of both transports that still have bytes to read. */
export function cutListeners(app: FastifyInstance): void {
  const listeners = new Set<ServerResponse>();
  app.addHook('onRequest', async (request, { raw }) => {
    if (!namesOf(request).some((name) => routes.get(name)?.isStream)) return;
    listeners.add(raw);
    raw.once('close', () => listeners.delete(raw));
  });
  app.addHook('preClose', async () => {
    for (const raw of listeners) setTimeout(() => raw.destroy(), LAST_BYTES_MS).unref();
  });
}

export function mountLive(app: FastifyInstance, route: Route, { contextOf, revocation }: Service): void {
  const { name, path, types } = route;
  const config = { transport: 'rest', operation: name } as const;
  const bytesOf = createEventWriter(route);
  app.get<{ Querystring: Query }>(`${REST_PREFIX}${path}`, { config }, async (request, reply) => {
    const { raw } = reply;
    chooseType(types, request.headers.accept);
    reply.header('link', serviceDesc(request.url));
    const ctx = contextOf(request, 'rest', JSON_TYPE);
    const input = inputOf(route, request);
    // events are written once for all listeners, without compression
    if (chooseCoding(request.headers['accept-encoding']).isPlainRefused)
      throw new NotAcceptable('Accept-Encoding', ['identity']);
    const begin = () => {
      reply.hijack(); // Fastify might compress what it sends
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) raw.setHeader(name, value);
      raw.removeHeader('transfer-encoding'); // otherwise Node writes chunks
      return raw.writeHead(200, HEADERS);
    };
    const opening: Promise<Events> = callTRPCProcedure({
      router: appRouter,
      path: name,
      type: 'subscription',
      getRawInput: async () => input,
      ctx,
      signal: ctx.signal,
      batchIndex: 0,
    });
    const events = await opening.catch((error: unknown) => {
      if (!app.shutdown.isStopping) throw error;
    });
    if (raw.destroyed) reply.hijack();
    else if (!events)
      begin().end(`${retry()}\n`); // a refused EventSource never reconnects
    else if (request.method === 'HEAD') begin().end();
    else {
      revocation.endBy(request, () => endSoon(raw));
      void write(begin(), request, events, bytesOf);
    }
    return reply;
  });
}

/** The query, with the id of an EventSource that reconnects. @throws AppError BAD_REQUEST if it is not valid */
function inputOf({ stream }: Route, { headers, query }: FastifyRequest<{ Querystring: Query }>): object {
  const { last_event_id, ...others } = query;
  const lastEventId = headers['last-event-id'] || last_event_id;
  const { error } = stream?.query.safeParse({ ...others, last_event_id: lastEventId }) ?? {};
  if (error) throw badInput(error);
  return { ...others, lastEventId };
}

/** @returns a function that writes an event once for all listeners, and keeps its bytes as long as the event */
function createEventWriter(route: Route): BytesOf {
  const textOf = createAnswerWriter(route);
  const written = new WeakMap<object, Buffer>();
  return ([id, event]) => {
    const kept = written.get(event);
    if (kept) return kept;
    const bytes = Buffer.from(`data: ${textOf(event, JSON_TYPE)}\nid: ${id}\n\n`);
    written.set(event, bytes);
    return bytes;
  };
}

/** The delay before a client reconnects. Random, so that clients do not reconnect all at once. */
const retry = () => `retry: ${Math.round(1000 + 2000 * Math.random())}\n`;

async function write(raw: ServerResponse, request: FastifyRequest, events: Events, bytesOf: BytesOf) {
  const leaving = leavingOf(request);
  raw.write(`${retry()}: connected\n\n`);
  const ping = setInterval(() => raw.writableEnded || raw.write(': ping\n\n'), PING_EVERY_MS);
  try {
    for await (const event of events) {
      if (raw.destroyed || raw.writableEnded) break;
      if (!raw.write(bytesOf(event))) await drained(raw, leaving);
    }
  } catch (err) {
    request.log.error({ err }, 'An event stream broke off');
    raw.destroy();
  } finally {
    clearInterval(ping);
    endSoon(raw);
  }
}

function endSoon(raw: ServerResponse): void {
  if (raw.destroyed || raw.writableEnded) return;
  const late = setTimeout(() => raw.destroy(), LAST_BYTES_MS);
  raw.once('close', () => clearTimeout(late)).end();
}

/** Cuts off a reader that needs a minute for pending bytes. It can reconnect. */
async function drained(raw: ServerResponse, leaving: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([leaving, AbortSignal.timeout(BEHIND_MS)]);
  await once(raw, 'drain', { signal }).catch(() => raw.destroy());
}
