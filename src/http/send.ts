// Writes every answer as text and sends it: tags it, answers 304 if the caller has it, compresses it, and cuts off slow
// readers of pages.
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CSV_TYPE } from '../contract/media-types.ts';
import type { Route } from '../operations/internals/routes.ts';
import { Points } from '../points/points.ts';
import { type Coding, chooseCoding, compress, compressStream, vary } from './negotiation.ts';

export interface Content {
  readonly status?: number;
  readonly type: string;
  /** If it has `no-cache` or `max-age`, a 200 gets a tag. */
  readonly cacheControl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable;
}

/** Types that compress well. Problems are too small. */
const COMPRESSIBLE = /^(text\/|application\/(json|x-ndjson|javascript)|image\/svg)/;

const KEPT = /no-cache|max-age/;

/** 132 bits in base64url. Tags are strong (RFC 9110, 8.8.3), so each coding has its own. */
const TAG_LENGTH = 22;

/** A smaller body and its headers fit in one packet, so compression saves no time. */
const MIN_BYTES = 1024;

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
  const sent = coding ? await compress(body, coding) : body;
  request.keepBytes?.(sent.length);
  return reply.send(sent);
}

/** Cuts off slow readers. Spares an answer that waits for an earlier one, such as an export, on its connection. */
export function limitReader({ raw }: FastifyReply): void {
  const late = setTimeout(() => raw.socket && raw.destroy(), PAGE_MS).unref();
  raw.once('close', () => clearTimeout(late));
}

export function codingOf(body: Content['body'], { coding, isPlainRefused }: ReturnType<typeof chooseCoding>) {
  const isShort = !(body instanceof Readable) && body.length < MIN_BYTES;
  return isShort && !isPlainRefused ? undefined : coding;
}

/** Computed before compression, with the coding as suffix. */
function tagOf(body: string | Buffer, coding: Coding | undefined): string {
  const digest = hash('sha256', body, 'base64url').slice(0, TAG_LENGTH);
  return coding ? `"${digest}-${coding}"` : `"${digest}"`;
}

/** Sets the tag. Sends 304 if If-None-Match (RFC 9110, 13.1.2) has it, because the caller already has the body. */
function isKnown(tag: string, reply: FastifyReply, { headers }: FastifyRequest): boolean {
  reply.header('etag', tag);
  const known = headers['if-none-match'];
  if (!known || (known.trim() !== '*' && !known.match(/"[^"]*"/g)?.includes(tag))) return false;
  reply.removeHeader('content-type').removeHeader('content-encoding');
  reply.status(304).send(Readable.from([])); // for an empty body Fastify would send the length 0
  return true;
}

/** @returns a function that writes the answers of a route: JSON with points last, or the rows of a table as CSV */
export function createAnswerWriter({ rows, output }: Route) {
  const columns = rows === undefined ? [] : columnsOf(output, rows);
  return (answer: object, type: string): string => {
    if (rows !== undefined && type === CSV_TYPE) return tableText(columns, Reflect.get(answer, rows));
    if (!('points' in answer && answer.points instanceof Points)) return JSON.stringify(answer);
    const { points, ...others } = answer;
    const text = JSON.stringify(others).slice(0, -1);
    return `${text}${text === '{' ? '' : ','}"points":${points.text}}`;
  };
}

/** @param output has an array of flat objects at `field`. @returns the names of their fields */
export function columnsOf(output: z.ZodType, field: string): string[] {
  const rows = output instanceof z.ZodObject ? output.shape[field] : undefined;
  const row = rows instanceof z.ZodArray ? rows.element : undefined;
  if (!(row instanceof z.ZodObject)) throw new TypeError(`${field} is not an array of objects`);
  return Object.keys(row.shape);
}

/** Rows as CSV (RFC 4180), with a header row. Null is an empty field. Lines end in a line feed, as point lines do. */
export function tableText(columns: readonly string[], rows: readonly object[]): string {
  const lines = rows.map((row) => columns.map((column) => cell(Reflect.get(row, column))).join());
  return [columns.join(), ...lines, ''].join('\n');
}

function cell(value: unknown): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
