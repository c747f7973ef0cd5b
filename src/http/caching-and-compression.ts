// Caching and compression of answers: not sent where the caller has them, compressed where it asks and it pays.
import { createHash, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nextTurn } from '../load/event-loop-queue.ts';
import type { Parts } from '../points/serialise.ts';
import { declarations } from '../procedures/router.ts';
import { operationOf } from './calls.ts';
import { CODINGS, type Coding, compress, compressParts, compressStream } from './codings.ts';
import { lengthOf } from './json.ts';
import { chooseCoding } from './negotiation.ts';
import { sendNotAcceptable } from './problem.ts';

/** Everything that compresses well; not problems, which are small. */
const COMPRESSIBLE = /^(text\/|application\/(json|x-ndjson|javascript)|image\/svg)/;

/** What may be kept and is asked for again: the answers that a tag belongs to. */
const KEPT = /no-cache|max-age/;

/** Strong tags (RFC 9110, 8.8.3), so each coding has one of its own: of 132 bits. */
const TAG_LENGTH = 22;

/** A smaller body leaves in one packet together with its head: compressed it would arrive no sooner. */
const MIN_BYTES = 1024;

function hasTag(reply: FastifyReply): boolean {
  return reply.statusCode === 200 && KEPT.test(String(reply.getHeader('cache-control')));
}

/**
 * One hook for all answers, on whichever transport: a route only says with Cache-Control what may be kept. Who takes
 * no coding that there is, nor none, is told before anything is asked; a probe is answered, and so is who errs.
 */
export function encodeAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { coding, isPlainRefused } = chooseCoding(request.headers['accept-encoding']);
    if (coding || !isPlainRefused || declarations.get(operationOf(request))?.isProbe) return done();
    sendNotAcceptable('Accept-Encoding', CODINGS, reply);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const sent = encode(payload, request, reply);
    if (sent instanceof Promise) sent.then((body) => done(null, body), done);
    else done(null, sent);
  });
}

function encode(payload: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { coding, isPlainRefused } = chooseCoding(request.headers['accept-encoding']);
  if (!isPlainRefused && !COMPRESSIBLE.test(String(reply.getHeader('content-type')))) return payload;
  vary(reply, 'accept-encoding');
  if (reply.hasHeader('content-encoding')) return payload;
  if (payload instanceof Readable) return encodeStream(payload, coding, request, reply);
  const fitting = (length: number) => (length < MIN_BYTES && !isPlainRefused ? undefined : coding);
  if (Array.isArray(payload)) return encodeParts(payload, fitting(lengthOf(payload)), request, reply);
  if (typeof payload === 'string' || Buffer.isBuffer(payload))
    return encodeBody(payload, fitting(payload.length), request, reply);
  return payload;
}

/** The tag of a short body is made before it is compressed, with the coding in its name. */
function encodeBody(
  body: string | Buffer,
  coding: Coding | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (hasTag(reply)) {
    const digest = hash('sha256', body, 'base64url').slice(0, TAG_LENGTH);
    const tag = coding ? `"${digest}-${coding}"` : `"${digest}"`;
    reply.header('etag', tag);
    if (isKnown(tag, request.headers['if-none-match'])) return sendNothing(reply);
  }
  if (!coding) return body;
  reply.header('content-encoding', coding).removeHeader('content-length');
  return compress(body, coding);
}

/** What was made of parts, for all who are sent them: they never change. */
const coded = new WeakMap<Parts, Map<Coding, Promise<Parts>>>();
const tags = new WeakMap<Parts, Promise<string>>();

/** Compresses first: a tag of what is sent, which is less, takes less time. */
async function encodeParts(
  parts: Parts,
  coding: Coding | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const sent = coding ? await codedOnce(parts, coding) : parts;
  if (hasTag(reply)) {
    const tag = await tagOnce(sent);
    reply.header('etag', tag);
    if (isKnown(tag, request.headers['if-none-match'])) return sendNothing(reply);
  }
  if (coding) reply.header('content-encoding', coding);
  return sent;
}

function codedOnce(parts: Parts, coding: Coding): Promise<Parts> {
  const made = coded.get(parts) ?? new Map<Coding, Promise<Parts>>();
  coded.set(parts, made);
  const before = made.get(coding);
  if (before) return before;
  const compressed = compressParts(parts, coding);
  made.set(coding, compressed);
  compressed.catch(() => made.delete(coding));
  return compressed;
}

function tagOnce(parts: Parts): Promise<string> {
  const tag = tags.get(parts) ?? digestOf(parts).then((digest) => `"${digest.slice(0, TAG_LENGTH)}"`);
  tags.set(parts, tag);
  return tag;
}

async function digestOf(parts: Parts): Promise<string> {
  const digest = createHash('sha256');
  for (const part of parts) {
    await nextTurn();
    digest.update(part);
  }
  return digest.digest('base64url');
}

function encodeStream(
  body: Readable,
  coding: Coding | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (!coding) return body;
  reply.header('content-encoding', coding).removeHeader('content-length');
  return request.method === 'HEAD' ? body : compressStream(body, coding);
}

/** @returns whether an If-None-Match header (RFC 9110, 13.1.2) holds `tag`: the caller has what would be sent. */
function isKnown(tag: string, header: string | undefined): boolean {
  if (!header) return false;
  const known: readonly string[] = header.match(/"[^"]*"/g) ?? [];
  return header.trim() === '*' || known.includes(tag);
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
