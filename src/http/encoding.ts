// How an answer goes out: compressed where the caller asks and it pays, not at all where the caller has it.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { entityTag, isKnown } from './caching.ts';
import { type Coding, chooseCoding, compress, compressStream, MIN_BYTES } from './compression.ts';

/** Everything that compresses well; not problems, which are small. */
const COMPRESSIBLE = /^(text\/|application\/(json|javascript)|image\/svg)/;

/** One hook for all answers, on whichever transport: a route only says with Cache-Control what may be kept. */
export function representAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const sent = represent(payload, request, reply);
    if (sent instanceof Promise) sent.then((body) => done(null, body), done);
    else done(null, sent);
  });
}

function represent(payload: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type')))) return payload;
  vary(reply, 'accept-encoding');
  if (reply.hasHeader('content-encoding')) return payload;
  const coding = chooseCoding(request.headers['accept-encoding']);
  if (payload instanceof Readable) return sendStream(payload, coding, request, reply);
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return send(payload, coding, request, reply);
  return payload;
}

function send(
  body: string | Buffer,
  accepted: Coding | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const coding = body.length < MIN_BYTES ? undefined : accepted;
  if (reply.statusCode === 200 && String(reply.getHeader('cache-control')).includes('no-cache')) {
    const tag = entityTag(body, coding);
    reply.header('etag', tag);
    if (isKnown(tag, request.headers['if-none-match'])) return sendNothing(reply);
  }
  if (!coding) return body;
  reply.header('content-encoding', coding).removeHeader('content-length');
  return compress(body, coding);
}

function sendStream(
  body: Readable,
  coding: Coding | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (!coding) return body;
  reply.header('content-encoding', coding).removeHeader('content-length');
  return request.method === 'HEAD' ? body : compressStream(body, coding);
}

/** 304. An empty stream, because for an empty text Fastify would state the length 0. */
function sendNothing(reply: FastifyReply): Readable {
  reply.status(304).removeHeader('content-type').removeHeader('content-length');
  return Readable.from([]);
}

/** Says that with other values of these headers there could have been another answer. */
export function vary(reply: FastifyReply, names: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others ? `${others}, ${names}` : names);
}
