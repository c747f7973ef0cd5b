// Sends every answer: tags it, answers 304 where the caller has it, compresses it, and ends a page whose reader is slow.
import { createHash, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nextTurn } from '../load/event-loop-queue.ts';
import type { Parts } from '../points/serialise.ts';
import { isParts, lengthOf, type Text } from './answer-text.ts';
import { type Coding, compress, compressParts, compressStream } from './codings.ts';
import { type ChosenCoding, chooseCoding, vary } from './negotiation.ts';

export interface Content {
  /** 200 by default. */
  readonly status?: number;
  readonly type: string;
  /** With `no-cache` or `max-age` in it, a 200 has a tag. */
  readonly cacheControl: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text, or a stream of what is sent as it is made. */
  readonly body: Text | Readable;
  /** How long a compressed stream may hold back what it was given, in milliseconds. */
  readonly flushMs?: number;
}

/** Everything that compresses well; not problems, which are small. */
const COMPRESSIBLE = /^(text\/|application\/(json|x-ndjson|javascript)|image\/svg)/;

/** Answers that may be kept and asked for again have a tag. */
const KEPT = /no-cache|max-age/;

/** Strong tags (RFC 9110, 8.8.3), so each coding has one of its own: of 132 bits. */
const TAG_LENGTH = 22;

/** A smaller body leaves in one packet together with its head: compressed it would arrive no sooner. */
const MIN_BYTES = 1024;

/** How long the reader of a page may take for it, in milliseconds. */
const PAGE_MS = 60_000;

export async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
): Promise<FastifyReply> {
  const { status = 200, type, cacheControl, body } = content;
  reply.status(status).headers({ 'content-type': type, 'cache-control': cacheControl, ...content.headers });
  const accepted = chooseCoding(request.headers['accept-encoding']);
  const isEncoded = accepted.isPlainRefused || COMPRESSIBLE.test(type);
  if (isEncoded) vary(reply, 'accept-encoding');
  const coding = isEncoded ? codingOf(body, accepted) : undefined;
  if (coding) reply.header('content-encoding', coding);
  if (body instanceof Readable) {
    if (request.method === 'HEAD' || !coding) return reply.send(body);
    return reply.send(compressStream(body, coding, content.flushMs));
  }
  limitReader(reply);
  const isTagged = status === 200 && KEPT.test(cacheControl);
  if (!isParts(body)) {
    const tag = isTagged && tagOf(body, coding);
    if (tag && isKnown(tag, reply, request)) return reply;
    return reply.send(coding ? await compress(body, coding) : body);
  }
  // compressed first: the tag of what is sent, which is less, takes less time
  const sent = coding ? await codedOnce(body, coding) : body;
  const tag = isTagged && (await tagOnce(sent));
  if (tag && isKnown(tag, reply, request)) return reply;
  reply.header('content-length', lengthOf(sent));
  return reply.send(Readable.from(inTurns(sent), { highWaterMark: 0 }));
}

/** Without an answer before it on its connection that has not left: an export may take as long as it likes. */
function limitReader({ raw }: FastifyReply): void {
  const late = setTimeout(() => raw.socket && raw.destroy(), PAGE_MS).unref();
  raw.once('close', () => clearTimeout(late));
}

/** A reader that keeps up would take all in one turn of the event loop: 160 MB took 80 ms. */
async function* inTurns(parts: Parts): AsyncGenerator<Buffer> {
  for (const part of parts) {
    yield part;
    await nextTurn();
  }
}

function codingOf(body: Content['body'], { coding, isPlainRefused }: ChosenCoding): Coding | undefined {
  if (body instanceof Readable) return coding;
  const length = isParts(body) ? lengthOf(body) : body.length;
  return length < MIN_BYTES && !isPlainRefused ? undefined : coding;
}

/** The tag of a short body is made before it is compressed, with the coding in its name. */
function tagOf(body: string | Buffer, coding: Coding | undefined): string {
  const digest = hash('sha256', body, 'base64url').slice(0, TAG_LENGTH);
  return coding ? `"${digest}-${coding}"` : `"${digest}"`;
}

/** Made of parts for all who are sent them: parts never change. */
const coded = new WeakMap<Parts, Map<Coding, Promise<Parts>>>();
const tags = new WeakMap<Parts, Promise<string>>();

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

/** Sets the tag. Where If-None-Match (RFC 9110, 13.1.2) holds it, the caller has what would be sent: 304. */
function isKnown(tag: string, reply: FastifyReply, { headers }: FastifyRequest): boolean {
  reply.header('etag', tag);
  const known = headers['if-none-match'];
  if (!known || (known.trim() !== '*' && !known.match(/"[^"]*"/g)?.includes(tag))) return false;
  reply.removeHeader('content-type').removeHeader('content-encoding');
  reply.status(304).send(Readable.from([])); // for nothing Fastify would state the length 0
  return true;
}
