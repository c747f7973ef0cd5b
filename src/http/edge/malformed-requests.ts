// Refuses bytes that never become a request: sends a problem with an id, and logs a line.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { Connections } from '../connections.ts';
import { NO_SNIFFING, problem } from '../problem.ts';

/** The HTTP status of Node's parse errors; any other error is 400. */
const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers bytes that Node cannot parse, after the requests before them, and closes the connection. */
export function refuseUnreadable(
  error: { code?: string },
  socket: Socket,
  { endUnreadable }: Connections,
  log: FastifyBaseLogger,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  endUnreadable(socket, (hasAnswer) => {
    if (hasAnswer || !socket.writable) socket.destroySoon();
    else refuse(error, socket, log);
  });
}

function refuse(error: { code?: string }, socket: Socket, log: FastifyBaseLogger): void {
  const status = STATUS_OF[error.code ?? ''] ?? 400;
  const { body, headers, fields } = refusal(status, 'The request cannot be read', socket);
  log.info({ ...fields, reason: error.code }, 'request refused: it cannot be read');
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
}

/** Refuses an unknown expectation. Node alone would refuse it without a problem body. */
export function refuseExpectations(server: Server, log: FastifyBaseLogger): void {
  server.on('checkExpectation', (raw: IncomingMessage, response: ServerResponse) => {
    const detail = 'Expect supports only 100-continue';
    const { body, headers, fields } = refusal(417, detail, raw.socket);
    log.info(fields, 'request refused: unsupported Expect header');
    response.writeHead(417, headers).end(body);
  });
}

function refusal(statusCode: number, detail: string, { remoteAddress, remotePort }: Socket) {
  const id = randomUUID();
  const body = JSON.stringify(problem(statusCode, detail, 'BAD_REQUEST', id));
  const headers = {
    ...NO_SNIFFING,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-request-id': id,
    connection: 'close',
  };
  return { body, headers, fields: { reqId: id, remoteAddress, remotePort, res: { statusCode } } };
}
