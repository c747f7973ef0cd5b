// Event streams on REST. Each frame of audio.live is built once, as bytes, for up to a thousand listeners.
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { openStream } from '../api/audio-live.ts';
import type { Call, Context } from '../api/context.ts';
import type { Route } from '../api/internals/routes.ts';
import { openStations } from '../api/stations.ts';
import { LiveQuery } from '../contract/live.ts';
import { EVENT_STREAM, JSON_TYPE } from '../contract/media-types.ts';
import { StationsLiveQuery } from '../contract/stations.ts';
import { badInput } from '../errors.ts';
import type { EventStream } from '../live/frame.ts';
import { chooseCoding, chooseType, NotAcceptable } from './negotiation.ts';
import { REST_PREFIX, serviceDesc } from './paths.ts';
import type { Query } from './query-reader.ts';
import type { Service } from './service.ts';

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
export const LAST_BYTES_MS = 1000;

export function mountLive(app: FastifyInstance, { name, path, types }: Route, service: Service): void {
  const config = { transport: 'rest', operation: name } as const;
  app.get<{ Querystring: Query }>(`${REST_PREFIX}${path}`, { config }, async (request, reply) => {
    const { raw } = reply;
    chooseType(types, request.headers.accept);
    reply.header('link', serviceDesc(request.url));
    const ctx = service.contextOf(request, 'rest', JSON_TYPE);
    const open = openerOf(name, withLastEventId(request));
    // frames are built once for all listeners, without compression
    if (chooseCoding(request.headers['accept-encoding']).isPlainRefused)
      throw new NotAcceptable('Accept-Encoding', ['identity']);
    const begin = () => {
      reply.hijack(); // Fastify might compress what it sends
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) raw.setHeader(name, value);
      raw.removeHeader('transfer-encoding'); // otherwise Node writes chunks
      return raw.writeHead(200, HEADERS);
    };
    if (ctx.isStopping) {
      begin().end(`${retry()}\n`); // a refused EventSource never reconnects
      return reply;
    }
    const stream = await open(ctx);
    if (raw.destroyed) {
      stream.close(); // its reader has left, and `close` does not fire again
      reply.hijack();
    } else if (request.method === 'HEAD') {
      stream.close();
      begin().end();
    } else void write(begin(), request, name, stream, service);
    return reply;
  });
}

/** @throws AppError BAD_REQUEST if the query is not valid for the operation */
function openerOf(operation: string, given: Query): (ctx: Context) => Promise<EventStream> {
  if (operation === 'stations.live') {
    const { levels } = checked(StationsLiveQuery, given);
    return (ctx) => openStations(ctx, levels);
  }
  const { last_event_id: lastEventId, ...query } = checked(LiveQuery, given);
  return (ctx) => openStream(ctx, { ...query, lastEventId });
}

function checked<Schema extends z.ZodType>(schema: Schema, given: Query): z.output<Schema> {
  const { data, error } = schema.safeParse(given);
  if (error) throw badInput(error);
  return data;
}

/** Adds the id that an EventSource sends when it reconnects. Until 0.2, the parameter was `lastEventId`. */
function withLastEventId({ headers, query }: FastifyRequest<{ Querystring: Query }>): Query {
  const { lastEventId, last_event_id = lastEventId, ...others } = query;
  return { ...others, last_event_id: headers['last-event-id'] || last_event_id };
}

/** The delay before a client reconnects. Random, so that clients do not reconnect all at once. */
const retry = () => `retry: ${Math.round(1000 + 2000 * Math.random())}\n`;

async function write(
  raw: ServerResponse,
  request: FastifyRequest,
  operation: string,
  stream: EventStream,
  { revocation }: Service,
): Promise<void> {
  const call: Call = { operation, points: 0 };
  request.calls?.push(call);
  raw.write(`${retry()}: connected\n\n`);
  revocation.endBy(request, () => stream.close());
  const ping = setInterval(() => raw.write(': ping\n\n'), PING_EVERY_MS);
  try {
    for await (const { bytes, points } of stream) {
      if (raw.destroyed) break;
      call.points += points;
      if (!raw.write(bytes)) await drained(raw, stream);
    }
  } catch (err) {
    request.log.error({ err }, 'An event stream broke off');
    raw.destroy();
  } finally {
    clearInterval(ping);
    if (!raw.destroyed) {
      const late = setTimeout(() => raw.destroy(), LAST_BYTES_MS);
      raw.once('close', () => clearTimeout(late)).end();
    }
  }
}

/** Cuts off a reader that needs a minute for pending bytes. It can reconnect. */
function drained(raw: ServerResponse, stream: EventStream): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => raw.destroy(), BEHIND_MS);
    const done = () => {
      clearTimeout(late);
      raw.off('drain', done).off('close', done);
      resolve();
    };
    raw.on('drain', done).on('close', done);
    stream.onClosed = done;
  });
}
