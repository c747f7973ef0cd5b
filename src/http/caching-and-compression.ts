// Caching and compression of answers: not sent where the caller has them, compressed where it asks and it pays.
import { createHash, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Coding, compress, compressStream } from './codings.ts';

/** What was made of bodies that never change. */
const made = new WeakMap<Buffer, Made>();

interface Made {
  readonly tags: Map<Coding | undefined, string | Promise<string>>;
  readonly bodies: Map<Coding, Buffer | Promise<Buffer>>;
}

/** A longer body is tagged part by part, and what is made of it is shared by all who share the answer. */
const LONG_BYTES = 2_097_152;

function madeOf(body: Buffer): Made | undefined {
  if (body.length > LONG_BYTES && !made.has(body)) made.set(body, { tags: new Map(), bodies: new Map() });
  return made.get(body);
}

/** @returns a body that never changes: its tag and its compressed forms are made once */
export function constant(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  made.set(bytes, { tags: new Map(), bodies: new Map() });
  return bytes;
}

/** Everything that compresses well; not problems, which are small. */
const COMPRESSIBLE = /^(text\/|application\/(json|javascript)|image\/svg)/;

/** What may be kept and is asked for again: the answers that a tag belongs to. */
const TAGGED = /no-cache|max-age/;

/** The cheapest first: this order decides between codings that a caller likes equally. */
const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip'];

/** A smaller body leaves in one packet together with its head: compressed it would arrive no sooner. */
const MIN_BYTES = 1024;

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
  if (typeof payload === 'string' || Buffer.isBuffer(payload))
    return encodeBody(payload, coding, request, reply);
  return payload;
}

function encodeBody(
  body: string | Buffer,
  accepted: Coding | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const coding = body.length < MIN_BYTES ? undefined : accepted;
  const before = typeof body === 'string' ? undefined : madeOf(body);
  if (reply.statusCode !== 200 || !TAGGED.test(String(reply.getHeader('cache-control')))) return coded();
  const tag = before?.tags.get(coding) ?? entityTag(body, coding);
  before?.tags.set(coding, tag);
  return typeof tag === 'string' ? tagged(tag) : tag.then(tagged);

  function tagged(tag: string) {
    reply.header('etag', tag);
    return isKnown(tag, request.headers['if-none-match']) ? sendNothing(reply) : coded();
  }

  function coded() {
    if (!coding) return body;
    reply.header('content-encoding', coding).removeHeader('content-length');
    const compressed = before?.bodies.get(coding) ?? compress(body, coding);
    before?.bodies.set(coding, compressed);
    if (compressed instanceof Promise) compressed.catch(() => before?.bodies.delete(coding));
    return compressed;
  }
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

/** The strong tag of a body (RFC 9110, 8.8.3): of the bytes that are sent, so each coding has a tag of its own. */
function entityTag(body: string | Buffer, coding: Coding | undefined): string | Promise<string> {
  const tagOf = (digest: string) =>
    coding ? `"${digest.slice(0, 22)}-${coding}"` : `"${digest.slice(0, 22)}"`;
  if (typeof body === 'string' || body.length <= LONG_BYTES) return tagOf(hash('sha256', body, 'base64url'));
  return digestInTurns(body).then(tagOf);
}

/** The same digest, a part in each turn of the event loop. */
async function digestInTurns(body: Buffer): Promise<string> {
  const digest = createHash('sha256');
  for (let at = 0; at < body.length; at += LONG_BYTES) {
    digest.update(body.subarray(at, at + LONG_BYTES));
    await nextTurn();
  }
  return digest.digest('base64url');
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
