// Content negotiation (RFC 9110, 12): chooses the form and the coding that the caller prefers, and compresses answers.
import { finished, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as zlib from 'node:zlib';
import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import { Refusal } from '../errors.ts';

/** 406 (RFC 9110, 15.5.7). */
export class NotAcceptable extends Refusal {
  constructor(header: 'Accept' | 'Accept-Encoding', available: readonly string[], elsewhere = '') {
    const detail = `${header} allows nothing that is available: ${available.join(', ')}${elsewhere}`;
    super(406, 'NOT_ACCEPTABLE', detail);
  }
}

/** @param types the default first. @param elsewhere ends the message of a refusal: where other types are available */
export function chooseType(types: readonly string[], accept: string | undefined, elsewhere?: string): string {
  const type = accept ? new Negotiator({ headers: { accept } }).mediaType(types) : types[0];
  if (type === undefined) throw new NotAcceptable('Accept', types, elsewhere);
  return type;
}

const PLAIN = 'identity';

/** Negotiator's option `preferred`, which its types lack. */
interface Preferring {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
}

/** @param accepted the Accept-Encoding header (RFC 9110, 12.5.3) */
export function chooseCoding(accepted = '') {
  const negotiator: Preferring = new Negotiator({ headers: { 'accept-encoding': accepted } });
  // `*` means gzip, which every client supports
  const named = CODINGS.filter((coding) => coding === 'gzip' || accepted.toLowerCase().includes(coding));
  const codings = negotiator.encodings([...named, PLAIN], { preferred: CODINGS });
  return {
    coding: CODINGS.find((coding) => coding === codings[0]),
    isPlainRefused: !codings.includes(PLAIN),
  };
}

export function vary(reply: FastifyReply, names: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others ? `${others}, ${names}` : names);
}

export type Coding = 'zstd' | 'br' | 'gzip';

/** The cheapest first: this order decides between codings that the caller weights equally. */
export const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip'];

const { BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel } = zlib.constants;

const chunkSize = 65_536;

// The fast levels: points shrink to 16, 15 and 13 % of their size. The default levels gain only a few percent more.
const OPTIONS = {
  zstd: { chunkSize, params: { [ZSTD_c_compressionLevel]: 1 } },
  br: { chunkSize, params: { [BROTLI_PARAM_QUALITY]: 1 } },
  gzip: { chunkSize, level: 1 },
};

/** Smaller bodies are compressed inline, so that they do not wait for a thread behind large ones. */
const INLINE_BYTES = 32_768;

/** How long a stream may hold back input to complete a block, in milliseconds. */
const FLUSH_MS = 100;

const SYNC = { zstd: zlib.zstdCompressSync, br: zlib.brotliCompressSync, gzip: zlib.gzipSync };
const STREAMS = { zstd: zlib.createZstdCompress, br: zlib.createBrotliCompress, gzip: zlib.createGzip };

export function compress(body: string | Buffer, coding: Coding): Buffer | Promise<Buffer> {
  if (body.length <= INLINE_BYTES) return SYNC[coding](body, OPTIONS[coding]);
  return buffer(STREAMS[coding](OPTIONS[coding]).end(body));
}

/**
 * Compresses a stream, and reads it only as fast as the result is consumed. If either breaks, so does the other. If the
 * source fails, its earlier bytes are still sent, but without an end.
 */
export function compressStream(source: Readable, coding: Coding, flushMs = FLUSH_MS): Readable {
  const result = STREAMS[coding](OPTIONS[coding]);
  let timer: NodeJS.Timeout | undefined;
  source.on('data', () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      result.flush();
    }, flushMs);
  });
  source.pipe(result);
  finished(source, { writable: false }, (error) => {
    if (error) result.flush(() => result.destroy(error));
  });
  result.once('close', () => {
    clearTimeout(timer);
    source.destroy();
  });
  return result;
}
