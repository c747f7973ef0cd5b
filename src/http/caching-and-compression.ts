// Caching and compression of answers: not sent where the caller has them, compressed where it asks and it pays.
import { createHash, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../points/serialise.ts';
import { nextTurn } from '../turns.ts';
import { type Coding, compress, compressParts, compressStream } from './codings.ts';
import { lengthOf } from './json.ts';

/** Everything that compresses well; not problems, which are small. */
const COMPRESSIBLE = /^(text\/|application\/(json|javascript)|image\/svg)/;

/** What may be kept and is asked for again: the answers that a tag belongs to. */
const KEPT = /no-cache|max-age/;

/** Strong tags (RFC 9110, 8.8.3), so each coding has one of its own: of 132 bits. */
const TAG_LENGTH = 22;

/** The cheapest first: this order decides between codings that a caller likes equally. */
const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip'];

/** A smaller body leaves in one packet together with its head: compressed it would arrive no sooner. */
const MIN_BYTES = 1024;

function hasTag(reply: FastifyReply): boolean {
  return reply.statusCode === 200 && KEPT.test(String(reply.getHeader('cache-control')));
}

/** One hook for all answers, on whichever transport: a route only says with Cache-Control what may be kept. */
export function encodeAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const sent = encode(payload, request, reply);
    if (sent instanceof Promise) sent.then((body) => done(null, body), done);
    else done(null, sent);
  });
}

function encode(payload: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type')))) return payload;
  vary(reply, 'accept-encoding');
  if (reply.hasHeader('content-encoding')) return payload;
  const coding = chooseCoding(request.headers['accept-encoding']);
  if (payload instanceof Readable) return encodeStream(payload, coding, request, reply);
  if (Array.isArray(payload)) return encodeParts(payload, coding, request, reply);
  if (typeof payload === 'string' || Buffer.isBuffer(payload))
    return encodeBody(payload, coding, request, reply);
  return payload;
}

/** The tag of a short body is made before it is compressed, with the coding in its name. */
function encodeBody(
  body: string | Buffer,
  accepted: Coding | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const coding = body.length < MIN_BYTES ? undefined : accepted;
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
  accepted: Coding | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const coding = lengthOf(parts) < MIN_BYTES ? undefined : accepted;
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

/**
 * @param accepted the Accept-Encoding header
 * @returns the coding that the caller likes best (RFC 9110, 12.5.3), undefined where that is none. `*` stands for
 *   gzip, which everything reads.
 */
function chooseCoding(accepted: string | undefined): Coding | undefined {
  if (!accepted) return undefined;
  const weights = new Map<string, number>();
  for (const item of accepted.toLowerCase().split(',')) {
    const [, name, weight = '1'] = /^\s*([\w*-]+)\s*(?:;\s*q=(\d(?:\.\d{0,3})?)\s*)?$/.exec(item) ?? [];
    if (name) weights.set(name, Number(weight));
  }
  let best: Coding | undefined;
  let most = 0;
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? (coding === 'gzip' ? weights.get('*') : undefined) ?? 0;
    if (weight > most) [best, most] = [coding, weight];
  }
  return (weights.get('identity') ?? 0) > most ? undefined : best;
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
