// REST: mounts one route for every operation: reads the query string, asks, and sends the answer.
import { basename } from 'node:path/posix';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { FileAnswer } from '../api/answers.ts';
import { ask } from '../api/ask.ts';
import type { Operation } from '../api/operation.ts';
import { operations } from '../api/router.ts';
import { FILES, type FileType, isFileType, isPageType } from '../contract/media-types.ts';
import { cutSlowReader } from '../load/slow-readers.ts';
import type { FilePiece } from '../points/points.ts';
import { answerText } from './answer-text.ts';
import { sendEvents, withLastEventId } from './event-stream.ts';
import { createTypeChooser, vary } from './negotiation.ts';
import { REST_PREFIX, serviceDesc } from './paths.ts';
import { NotAcceptable } from './problem.ts';
import { type Call, noteCall } from './request-accounting.ts';
import type { Service } from './service.ts';

export function mountRest(app: FastifyInstance, service: Service): void {
  for (const operation of operations.values()) mountOperation(app, operation, service);
}

function mountOperation(app: FastifyInstance, operation: Operation, service: Service): void {
  const { send, cacheControl } = service;
  const { name, types, isProbe } = operation;
  const chooseType = createTypeChooser(types);
  const readQuery = queryReader(operation);
  const config = { transport: 'rest', operation } as const;
  const path = `${REST_PREFIX}${operation.path}`;
  app.get<{ Querystring: Query }>(path, { config }, async (request, reply) => {
    if (types.length > 1) vary(reply, 'accept');
    const accepted = isProbe ? undefined : request.headers.accept;
    const liked = chooseType(accepted);
    if (!liked) throw new NotAcceptable('Accept', types);
    reply.header('link', serviceDesc(request.url));
    const caller = service.callerOf(request);
    const query = readQuery(request.query);
    if (operation.kind === 'stream') {
      const question = operation.read(withLastEventId(request, query));
      return sendEvents(request, reply, service, 'rest', () => ask(question, caller, service));
    }
    const question = operation.read(query);
    const type = question.types === types ? liked : createTypeChooser(question.types)(accepted);
    if (!type) throw new NotAcceptable('Accept', question.types);
    const context = {
      ...caller.context,
      ...(operation.kind === 'points' && isPageType(type) && { pageType: type }),
      ...(operation.kind === 'file' && isFileType(type) && { fileType: type }),
    };
    const answer = await ask(question, { ...caller, context }, service);
    if (answer.kind === 'stream') throw new Error(`${name} answers with a stream`);
    if (answer.kind === 'file') {
      if (!isFileType(type)) throw new Error(`${name} answers with a file of ${type}`);
      return sendFile(request, reply, service, operation, answer, type);
    }
    noteCall(request, name, answer);
    const next = answer.value.next_cursor && nextPage(request.url, answer.value.next_cursor);
    if (next) reply.header('link', `<${next}>; rel="next", ${serviceDesc(request.url)}`);
    const keeping = cacheControl.keeping(question, answer.value, caller.context.now);
    const body = Buffer.from(answerText(answer, type, operation)); // of text Fastify would add a charset
    return send(request, reply, { type, cacheControl: cacheControl.header([keeping]), body });
  });
}

const DECIMAL = /^-?\d+(\.\d+)?$/;
const WHOLE = /^-?\d+$/;

/** As Fastify reads a query string: the value of a parameter that is given twice is an array. */
type Query = Record<string, unknown>;

/**
 * @returns what reads a query string: plain decimals become numbers where a number is declared. Everything else stays as it
 *   was sent, for the operation to refuse: other text, undeclared parameters, and as arrays those that are given twice
 */
function queryReader({ input }: Operation): (query: Query) => Query {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
  const forms = Object.entries(properties).flatMap(([name, schema]) => {
    const type = typeof schema === 'object' ? schema.type : undefined;
    const form = type === 'integer' ? WHOLE : type === 'number' ? DECIMAL : undefined;
    return form ? [[name, form] as const] : [];
  });
  return (query) => {
    for (const [name, form] of forms) {
      const given = query[name];
      if (typeof given === 'string' && form.test(given)) query[name] = Number(given);
    }
    return query;
  };
}

/**
 * Sends a file as it is made. The first piece is awaited before the status goes out, so a query that fails at
 * once is still a problem; one that fails later destroys the connection.
 */
async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { admission, send, cacheControl }: Service,
  { name }: Operation,
  answer: FileAnswer,
  type: FileType,
) {
  const { raw, log } = reply;
  cutSlowReader(raw, log, () => admission.exports.waiting > 0, admission.slowReaders);
  const pieces = answer.pieces[Symbol.asyncIterator]();
  const first = await pieces.next();
  const isRead = request.method !== 'HEAD' && !raw.destroyed;
  if (!isRead) await pieces.return?.(); // a stream that nobody reads would never begin, and so never end
  const body = isRead ? wholeFile(resumed(first, pieces, noteCall(request, name)), request) : [];
  return send(request, reply, {
    type,
    cacheControl: cacheControl.header(['never']),
    headers: { 'content-disposition': `attachment; filename="${answer.name}.${FILES[type].ending}"` },
    body: Readable.from(body, { objectMode: false, highWaterMark: 65_536 }),
  });
}

async function* resumed(
  first: IteratorResult<FilePiece>,
  rest: AsyncIterator<FilePiece>,
  call: Call | undefined,
) {
  try {
    for (let next = first; !next.done; next = await rest.next()) {
      if (call) call.points += next.value.points;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}

async function* wholeFile(pieces: AsyncIterable<FilePiece>, { raw }: FastifyRequest) {
  let isWhole = false;
  try {
    for await (const { bytes } of pieces) yield bytes;
    isWhole = true;
  } finally {
    // in HTTP/1.0 a body ends where the connection does (RFC 1945, 7.2.2): only a reset tells that it broke off
    if (!isWhole && raw.httpVersion === '1.0') raw.socket.resetAndDestroy();
  }
}

/** Relative to the address of the request, which may be below a path of a proxy (RFC 8288, 3.1). */
function nextPage(url: string, cursor: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  searchParams.set('cursor', cursor);
  return `${basename(pathname)}?${searchParams}`;
}
