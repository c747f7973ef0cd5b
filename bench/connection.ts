// One keep-alive HTTP connection with one request at a time. It is as cheap as Node allows, because it shares the
// service's cores, and its own time would count as the service's.
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Bytes of the body. */
  readonly length: number;
  /** The body's first bytes, for a message. */
  readonly opening: string;
}

export interface Connection {
  /**
   * @param read gets the body piece by piece; each piece is valid only during the call
   * @throws if the answer does not arrive whole
   */
  get(path: string, read?: (piece: Buffer) => void): Promise<Answer>;
  close(): void;
}

interface PendingAnswer {
  readonly take: ReturnType<typeof createAnswerReader>;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Connects at the first request, and again after a failure.
 *
 * @param headers sent with every request, besides `host`
 */
export function openConnection(url: string, headers: Readonly<Record<string, string>> = {}): Connection {
  const { hostname, port, host } = new URL(url);
  const head = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  let socket: Socket | undefined;
  let pending: PendingAnswer | undefined;

  function open(): Socket {
    const buffer = Buffer.allocUnsafe(65_536);
    const opened = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer,
        callback(bytes) {
          take(buffer.subarray(0, bytes));
          return true;
        },
      },
    });
    opened.on('error', fail);
    opened.on('close', () => {
      if (socket === opened) socket = undefined;
      fail(new Error('The connection was closed before the answer was whole'));
    });
    return opened;
  }

  function take(piece: Buffer): void {
    try {
      const answer = pending?.take(piece);
      if (!answer) return;
      pending?.resolve(answer);
      pending = undefined;
    } catch (error) {
      socket?.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function fail(error: Error): void {
    pending?.reject(error);
    pending = undefined;
  }

  return {
    get(path, read) {
      return new Promise((resolve, reject) => {
        pending = { take: createAnswerReader(read), resolve, reject };
        socket ??= open();
        socket.write(`GET ${path} HTTP/1.1\r\n${head.join('')}\r\n`, 'latin1');
      });
    },
    close() {
      socket?.destroy();
    },
  };
}

export function linesIn(piece: Buffer): number {
  let lines = 0;
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines++;
  return lines;
}

/**
 * Creates a reader of one answer, by its `content-length` or chunk by chunk (RFC 9112, section 7.1). Call it with each
 * piece; the last call returns the answer.
 */
export function createAnswerReader(read: (piece: Buffer) => void = () => {}) {
  let partialHead: Buffer | undefined;
  let head: { status: number; chunked: boolean } | undefined;
  let left = 0; // missing bytes of the body, or of the chunk
  let line = ''; // the part of a chunk's size line that has arrived
  let lastChunk = false; // the chunk of size 0 has arrived
  let ended = false;
  let length = 0;
  let opening = '';

  return function take(piece: Buffer): Answer | undefined {
    if (head) return takeBody(piece, head);
    const all = partialHead ? Buffer.concat([partialHead, piece]) : piece;
    const end = all.indexOf('\r\n\r\n');
    if (end < 0) {
      partialHead = Buffer.from(all);
      return undefined;
    }
    head = readHead(all.toString('latin1', 0, end + 2));
    return takeBody(all.subarray(end + 4), head);
  };

  function readHead(text: string) {
    const stated = /\r\ncontent-length: *(\d+)\r\n/i.exec(text)?.[1];
    const chunked = /\r\ntransfer-encoding: *chunked\r\n/i.test(text);
    if (stated === undefined && !chunked) throw new Error(`An answer without a length: ${text}`);
    left = Number(stated ?? 0);
    return { status: Number(text.slice(9, 12)), chunked };
  }

  function takeBody(piece: Buffer, { status, chunked }: { status: number; chunked: boolean }) {
    for (let at = 0; ; ) {
      const part = piece.subarray(at, at + left);
      if (part.length > 0) pass(part);
      at += part.length;
      if (chunked ? ended : left === 0) return { status, length, opening };
      if (at === piece.length) return undefined;
      at = takeLine(piece, at);
    }
  }

  function pass(part: Buffer): void {
    if (length === 0) opening = part.toString('latin1', 0, 200);
    left -= part.length;
    length += part.length;
    read(part);
  }

  /** Reads the size line of a chunk, or the empty line after a chunk. Returns the position of the line's end. */
  function takeLine(piece: Buffer, at: number): number {
    const end = piece.indexOf('\n', at) + 1 || piece.length;
    line += piece.toString('latin1', at, end);
    if (!line.endsWith('\n')) return end;
    if (line !== '\r\n') left = Number.parseInt(line, 16);
    else if (lastChunk) ended = true;
    lastChunk = left === 0 && line !== '\r\n';
    line = '';
    return end;
  }
}
