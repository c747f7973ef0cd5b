// HTTP without fetch, which would request and decode encodings by itself.
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

export interface RawAnswer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  /** The body as sent, still compressed. */
  body: Buffer;
}

type Headers = Record<string, string>;

/** The answer, once its head has arrived. Every request has its own connection. */
export function open(url: string, headers: Headers = {}, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent: false }, resolve).on('error', reject).end();
  });
}

/** Rejects if the connection breaks before the end. */
export async function send(url: string, headers: Headers = {}, method = 'GET'): Promise<RawAnswer> {
  const answer = await open(url, headers, method);
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(pieces) };
}

/** The text of an answer, whatever its encoding. */
export function textOf({ headers, body }: RawAnswer): string {
  const { 'content-encoding': coding = 'identity' } = headers;
  const undo = DECODERS[coding];
  if (!undo) throw new Error(`No test requests ${coding}`);
  return undo(body).toString();
}

const DECODERS: Record<string, (body: Buffer) => Buffer> = {
  identity: (body) => body,
  gzip: (body) => gunzipSync(body),
  br: (body) => brotliDecompressSync(body),
  zstd: (body) => zstdDecompressSync(body),
};
