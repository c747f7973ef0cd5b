// Streams of events, which every EventSource reads; for tRPC in the format of its subscriptions.
//
// tRPC's own producer takes 85 % of a core for four frames a second to 1,000 listeners, and falls behind; here each
// frame is made once, as bytes, and takes 8 %.
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../api/answers.ts';
import { EVENT_STREAM } from '../contract/media-types.ts';
import type { LiveStream } from '../live/live.ts';
import { chooseCoding } from './negotiation.ts';
import { NotAcceptable } from './problem.ts';
import { noteCall } from './request-accounting.ts';
import type { Service } from './service.ts';

const HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no', // nginx would hold events back
  connection: 'close', // tells its end without chunks, which take longer to write
};

const PING_EVERY_MS = 15_000;
/** What is written beside events: on REST comments, for every event there is one of points. */
const REST = { opening: ': connected\n\n', ping: ': ping\n\n' };
/** A client of tRPC that hears nothing for so long connects anew. */
const CONNECTED = { reconnectAfterInactivityMs: 3 * PING_EVERY_MS };
const RPC = {
  opening: `event: connected\ndata: ${JSON.stringify(CONNECTED)}\n\n`,
  ping: 'event: ping\ndata: \n\n',
};
const BESIDE = { rest: REST, rpc: RPC };

/** How long a stream lasts, in milliseconds, and by what share more or less: they should not all end at once. */
const LIFE_MS = 1_800_000;
const LIFE_SPREAD = 0.1;

/** A stream of points keeps those of a minute. */
const BEHIND_MS = 60_000;

/** How long what was written may take to leave when a stream has ended, in milliseconds. */
const LAST_BYTES_MS = 1000;

/** The input of a subscription, with the id that an EventSource sends when it comes back. */
export function withLastEventId({ headers }: FastifyRequest, input: unknown): unknown {
  const { 'last-event-id': lastEventId } = headers;
  return lastEventId ? { ...Object(input), lastEventId } : input;
}

/**
 * Answers with the stream that `ask` gives; 406 where the caller takes it only compressed.
 *
 * @throws AppError SERVICE_UNAVAILABLE where there is no room for another stream, and as `ask` does
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  service: Service,
  transport: keyof typeof BESIDE,
  ask: () => Promise<Answer>,
): Promise<FastifyReply> {
  const { raw } = reply;
  // what all listeners are sent is made once, and not compressed
  if (chooseCoding(request.headers['accept-encoding']).isPlainRefused)
    throw new NotAcceptable('Accept-Encoding', ['identity']);
  const begin = () => {
    reply.hijack(); // what Fastify sends may be compressed
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) raw.setHeader(name, value);
    raw.removeHeader('transfer-encoding'); // else Node writes chunks
    return raw.writeHead(200, HEADERS);
  };
  if (request.server.shutdown.isStopping) {
    begin().end(`${retry()}\n`); // an EventSource that is refused never comes back
    return reply;
  }
  const answer = await ask();
  if (answer.kind !== 'stream') throw new Error('The answer is not a stream');
  const { stream } = answer;
  raw.once('close', () => stream.close());
  if (raw.destroyed) {
    stream.close(); // its reader has left: nothing will tell it again
    reply.hijack();
  } else if (request.method === 'HEAD') begin().end();
  else void write(begin(), request, stream, service, BESIDE[transport]);
  return reply;
}

/** When a client comes back after a cut: not all at once. */
const retry = () => `retry: ${Math.round(1000 + 2000 * Math.random())}\n`;

async function write(
  raw: ServerResponse,
  request: FastifyRequest,
  stream: LiveStream,
  { revocation }: Service,
  { opening, ping: pinged }: typeof REST,
): Promise<void> {
  const call = noteCall(request, 'audio.live');
  raw.write(`${retry()}${opening}`);
  revocation.endBy(request, () => stream.close());
  const ping = setInterval(() => raw.write(pinged), PING_EVERY_MS);
  const life = setTimeout(() => stream.close(), LIFE_MS * (1 + LIFE_SPREAD * (2 * Math.random() - 1)));
  try {
    for await (const { bytes, points } of stream) {
      if (raw.destroyed) break;
      if (call) call.points += points;
      if (!raw.write(bytes)) await drained(raw, stream);
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

/** A reader that takes a minute for what it was sent is cut off, and comes back. */
function drained(raw: ServerResponse, stream: LiveStream): Promise<void> {
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
