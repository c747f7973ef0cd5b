// Streams of events, in the format of tRPC's subscriptions, which every EventSource reads.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EVENT_STREAM } from '../contract/media-types.ts';
import type { LiveStream } from '../live/live.ts';
import { hasItsKey } from './authentication.ts';
import { callerOf, leavingOf } from './caller.ts';
import { noteCall } from './calls.ts';
import { chooseCoding } from './negotiation.ts';
import { sendNotAcceptable } from './problem.ts';
import type { Transport } from './transport.ts';

const HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no', // nginx would hold events back
  connection: 'close', // tells its end without chunks, which take longer to write
};

const PING_EVERY_MS = 15_000;
/** A client of tRPC that hears nothing for so long connects anew. */
const CONNECTED = { reconnectAfterInactivityMs: 3 * PING_EVERY_MS };
const PING = 'event: ping\ndata: \n\n';

/** How long a stream lasts, in milliseconds, and by what share more or less: they should not all end at once. */
const LIFE_MS = 1_800_000;
const LIFE_SPREAD = 0.1;

/** How long what was written may take to leave when a stream has ended, in milliseconds. */
const LAST_BYTES_MS = 1000;

/** The input of a subscription, with the id that an EventSource sends when it comes back. */
export function withLastEventId({ headers }: FastifyRequest, input: unknown): unknown {
  const { 'last-event-id': lastEventId } = headers;
  return lastEventId ? { ...Object(input), lastEventId } : input;
}

/**
 * Answers with the stream that `open` gives, once there is a place for it.
 *
 * 406 where the caller would have it compressed.
 *
 * @throws AppError SERVICE_UNAVAILABLE where there is none, and as `open` does
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  { admission, outgoing }: Pick<Transport, 'admission' | 'outgoing'>,
  open: () => Promise<unknown>,
): Promise<FastifyReply> {
  const { raw } = reply;
  // what all listeners are sent is made once, and not compressed
  if (chooseCoding(request.headers['accept-encoding']).isPlainRefused)
    return sendNotAcceptable('Accept-Encoding', ['identity'], reply);
  if (request.server.shutdown.isStopping) {
    reply.hijack(); // an EventSource that is refused never comes back
    raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEADERS });
    raw.end(`${retry()}\n`);
    return reply;
  }
  const leave = await admission.streams.enter(callerOf(request), leavingOf(request));
  let stream: LiveStream;
  try {
    stream = (await open()) as LiveStream;
  } catch (error) {
    leave();
    throw error;
  }
  const end = () => {
    stream.close();
    leave();
  };
  raw.once('close', end);
  reply.hijack(); // what Fastify sends may be compressed
  if (raw.destroyed)
    end(); // its reader has left: nothing will tell it again
  else {
    raw.removeHeader('transfer-encoding');
    raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEADERS });
    if (request.method === 'HEAD') raw.end();
    else {
      outgoing.watch(reply, () => true);
      void write(request, raw, stream);
    }
  }
  return reply;
}

/** When a client comes back after a cut: not all at once. */
const retry = () => `retry: ${Math.round(1000 + 2000 * Math.random())}\n`;

async function write(request: FastifyRequest, raw: ServerResponse, stream: LiveStream): Promise<void> {
  const call = noteCall(request, 'audio.live');
  raw.write(`${retry()}event: connected\ndata: ${JSON.stringify(CONNECTED)}\n\n`);
  const ping = setInterval(() => {
    if (hasItsKey(request)) raw.write(PING);
    else stream.close();
  }, PING_EVERY_MS);
  const life = setTimeout(() => stream.close(), LIFE_MS * (1 + LIFE_SPREAD * (2 * Math.random() - 1)));
  try {
    for await (const { bytes, points } of stream) {
      if (raw.destroyed) break;
      if (call) call.points += points;
      if (!raw.write(bytes)) await drained(raw, stream); // who falls a minute behind is cut off, and comes back
    }
  } catch (err) {
    request.log.error({ err }, 'A stream of events broke off');
    raw.destroy();
  } finally {
    clearInterval(ping);
    clearTimeout(life);
    if (!raw.destroyed) {
      const late = setTimeout(() => raw.destroy(), LAST_BYTES_MS);
      raw.once('close', () => clearTimeout(late)).end();
    }
  }
}

function drained(raw: ServerResponse, stream: LiveStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      raw.off('drain', done).off('close', done);
      resolve();
    };
    raw.on('drain', done).on('close', done);
    stream.onClosed = done;
  });
}
