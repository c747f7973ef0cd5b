// Sends every answer: tags it, answers 304 if the caller has it, compresses it, and ends a page whose reader is slow.
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Coding, compress, compressStream } from './codings.ts';
import { chooseCoding, vary } from './negotiation.ts';

export interface Content {
  readonly status?: number;
  readonly type: string;
  /** With `no-cache` or `max-age` in it, a 200 has a tag. */
  readonly cacheControl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable;
}

/** Everything that compresses well; not problems, which are small. */
const COMPRESSIBLE = /^(text\/|application\/(json|x-ndjson|javascript)|image\/svg)/;

const KEPT = /no-cache|max-age/;

/** Strong tags (RFC 9110, 8.8.3), so each coding has one of its own: of 132 bits. */
const TAG_LENGTH = 22;

/** A smaller body leaves in one packet with its head: compressed it would arrive no sooner. */
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
    return reply.send(compressStream(body, coding));
  }
  limitReader(reply);
  const tag = status === 200 && KEPT.test(cacheControl) && tagOf(body, coding);
  if (tag && isKnown(tag, reply, request)) return reply;
  return reply.send(coding ? await compress(body, coding) : body);
}

/** Without an answer before it on its connection that has not left: an export may take as long as it likes. */
export function limitReader({ raw }: FastifyReply): void {
  const late = setTimeout(() => raw.socket && raw.destroy(), PAGE_MS).unref();
  raw.once('close', () => clearTimeout(late));
}

export function codingOf(body: Content['body'], { coding, isPlainRefused }: ReturnType<typeof chooseCoding>) {
  const isShort = !(body instanceof Readable) && body.length < MIN_BYTES;
  return isShort && !isPlainRefused ? undefined : coding;
}

/** Made before the body is compressed, with the coding in its name. */
function tagOf(body: string | Buffer, coding: Coding | undefined): string {
  const digest = hash('sha256', body, 'base64url').slice(0, TAG_LENGTH);
  return coding ? `"${digest}-${coding}"` : `"${digest}"`;
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
