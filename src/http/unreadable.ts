// Answers what never becomes a request of the service: as a problem with an id, and a line in the log.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { NO_SNIFFING, problem, sendProblem } from './problem.ts';
import { logTrace } from './trace-parent.ts';

/** What Node says of bytes that it cannot read, in terms of HTTP; anything else is 400. */
const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers what Node cannot read as a request, and closes the connection. */
export function refuseUnreadable(this: FastifyInstance, error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) return void socket.destroy();
  const status = STATUS_OF[error.code ?? ''] ?? 400;
  const { body, headers, id } = refusal(status, 'The request cannot be read');
  const { remoteAddress, remotePort } = socket;
  this.log.info(
    { reqId: id, remoteAddress, remotePort, res: { statusCode: status }, reason: error.code },
    'request refused: it cannot be read',
  );
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
}

/** True while an earlier request of the connection is being answered: a second head would land in its body. */
function isAnswering(socket: Socket): boolean {
  return Object(socket)._httpMessage?.headersSent === true;
}

/** Refuses what Node would answer by itself: an expectation that is not known, or HTTP/1.1 without a Host. */
export function refuseByOurselves(app: FastifyInstance): void {
  app.server.on('checkExpectation', (raw: IncomingMessage, response: ServerResponse) => {
    const { body, headers, id } = refusal(417, 'Of what Expect can hold, only 100-continue is known');
    const { remoteAddress, remotePort } = raw.socket;
    app.log.info(
      { reqId: id, remoteAddress, remotePort, res: { statusCode: 417 } },
      'request refused: its expectation is not known',
    );
    response.writeHead(417, headers).end(body);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const isWithoutHost = request.raw.headers.host === undefined && request.raw.httpVersion === '1.1';
    // RFC 9112, 3.2
    done(isWithoutHost ? new AppError('BAD_REQUEST', 'The Host header is missing') : undefined);
  });
}

/** Answers what the router cannot read, for which no hook runs. */
export function refuseUnroutable(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  logTrace(request, reply);
  sendProblem(error, request, reply.headers(NO_SNIFFING));
  request.log.info({ req: request, res: reply }, 'request completed');
}

function refusal(status: number, detail: string) {
  const id = randomUUID();
  const body = JSON.stringify(problem(status, detail, 'BAD_REQUEST', id));
  const headers = {
    ...NO_SNIFFING,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-request-id': id,
    connection: 'close',
  };
  return { id, body, headers };
}

/**
 * @returns the path and query of a request's target: of one in absolute form (RFC 9112, 3.2.2), which a caller
 *   may send to any server, without the host that it names
 */
export function targetOf({ url = '/' }: { url?: string | undefined }): string {
  if (url.startsWith('/')) return url;
  const found = /^https?:\/\/[^/?#]+([/?][^#]*)?$/i.exec(url);
  if (!found) return url;
  const [, rest = '/'] = found;
  return rest.startsWith('?') ? `/${rest}` : rest;
}
