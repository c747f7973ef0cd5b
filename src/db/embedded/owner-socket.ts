// The Unix socket in the folder of the embedded database by which the process that has it serves it to other commands.
// Each of these has a connection, and sends one request a line; a transaction is all that comes from `begin` to its end.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Database, Run } from '../database.ts';
import { codeOf } from '../faults.ts';
import type { Log } from '../log.ts';
import { type Engine, errorOf } from './engine.ts';
import { type Answer, DONE, faultOf, type Reply, type Request } from './messages.ts';
import { WorkerEnded } from './stopped.ts';

/** What systems allow for the path of a socket, in bytes. */
const LONGEST_PATH = 103;
/** Only who may read the files of the database may connect. */
const OTHERS = 0o177;
const PATIENCE_MS = 5000;
/** Another version does not understand the requests of this one. */
const GREETING = { protocol: 2 };

const pathIn = (folder: string) => join(folder, 'socket');

/** @throws Error that names the folder, if its path is too long for its socket */
export function assertSocketFits(folder: string): void {
  const bytes = Buffer.byteLength(pathIn(folder));
  if (bytes > LONGEST_PATH)
    throw new Error(
      `The path of the data folder ${folder} is too long for the socket in it: ${bytes} bytes, and systems allow ${LONGEST_PATH}. Set DATA_DIR to a folder with a shorter path`,
    );
}

/**
 * @param folder that of the database, which this process has
 * @param hold called when a client comes; what it returns when that leaves
 * @param patienceMs how long others wait for a client that has begun a transaction and does not go on with it
 */
export async function openOwnerSocket(
  folder: string,
  db: Database,
  log: Log,
  hold: () => () => void,
  patienceMs = PATIENCE_MS,
) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const release = hold();
    sockets.add(socket.on('timeout', () => socket.destroy()));
    socket.once('close', () => {
      sockets.delete(socket);
      release();
    });
    serveClient(socket, db, patienceMs)
      .catch(() => {}) // it has left
      .finally(() => socket.destroy());
  });
  const path = pathIn(folder);
  const mask = process.umask(OTHERS); // the folder may be on a disk without rights
  try {
    rmSync(path, { force: true }); // of a process that was killed: this one has the folder now
    server.listen(path);
    process.umask(mask);
    await once(server, 'listening');
  } catch (err) {
    process.umask(mask);
    log.warn({ err, path }, 'No command can be used beside this process: its socket cannot be made');
  }
  server.unref();
  return {
    /** Waits until no client is connected. */
    async left() {
      for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
    },
    /** Breaks off the clients that are connected: what they have begun does not take place. */
    async close() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

async function serveClient(socket: Socket, db: Database, patienceMs: number): Promise<void> {
  const next = reader(socket);
  const nextOfTransaction = <Line>() => {
    socket.setTimeout(patienceMs);
    return next<Line>().finally(() => socket.setTimeout(0));
  };
  const send = (line: object) => socket.write(lineOf(line));
  const reply = (work: Promise<Reply<unknown>>) => work.catch(faultOf).then(send);
  send(GREETING);
  for (let request = await next<Request>(); request; request = await next()) {
    if (request.kind === 'begin') await reply(serveTransaction(db, nextOfTransaction, reply));
    else await reply(answer(request, db.run));
  }
}

/** @returns the answer to its end */
async function serveTransaction(
  db: Database,
  next: Next,
  reply: (work: Promise<Reply<unknown>>) => Promise<unknown>,
): Promise<Answer<unknown>> {
  const rolledBack = new Error('Rolled back');
  const work = db.transaction(async ({ run, copy }) => {
    await reply(Promise.resolve(DONE));
    for (;;) {
      const request = await next<Request>();
      if (request?.kind === 'commit') return;
      if (!request || request.kind === 'rollback') throw rolledBack;
      if (request.kind === 'copy')
        await reply(
          copy(textOf(request.csv), request.into).then((affectedRows) => ({ ...DONE, affectedRows })),
        );
      else await reply(answer(request, run));
    }
  });
  await work.catch((error) => {
    if (error !== rolledBack) throw error;
  });
  return DONE;
}

async function answer(request: Request, run: Run | undefined): Promise<Answer<unknown>> {
  if ((request.kind !== 'query' && request.kind !== 'script') || !run)
    throw new TypeError(`This cannot be asked: ${request.kind}`);
  return { ...DONE, rows: await run(request.text, 'values' in request ? request.values : undefined) };
}

async function* textOf(text: string): AsyncGenerator<string> {
  yield text;
}

/** On one line: what reads them takes more than line feeds for their ends. */
const lineOf = (message: object) =>
  `${JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;

type Next = <Line>() => Promise<Line | undefined>;

/** @returns what reads the next line, undefined at the end */
function reader(socket: Socket): Next {
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  socket.on('error', () => {}).once('close', () => lines.close());
  const read = lines[Symbol.asyncIterator]();
  return async () => {
    const line = await read.next().catch(() => undefined); // the connection broke
    return !line || line.done ? undefined : JSON.parse(line.value);
  };
}

/**
 * The database of the process that has the folder.
 *
 * @returns undefined if none listens
 * @throws Error if it is another user's, or of another version
 */
export async function askOwner(folder: string): Promise<Engine | undefined> {
  const socket = connect(pathIn(folder));
  try {
    await once(socket, 'connect');
  } catch (error) {
    const code = error instanceof Error ? codeOf(error) : '';
    if (code === 'EACCES')
      throw new Error(`The process that has ${folder} runs as another user: run this command as that user`);
    if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EAGAIN'].includes(code)) return undefined; // it starts, ends or is busy
    throw error;
  }
  const next = reader(socket);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy()); // a process that was stopped does not greet
  const greeting = await next<Partial<typeof GREETING>>();
  socket.setTimeout(0);
  if (!greeting) return undefined;
  if (greeting.protocol !== GREETING.protocol) {
    socket.destroy();
    throw new Error(`The process that has ${folder} is of another version: start it anew, then try again`);
  }
  return {
    async ask<Row>(request: Request) {
      if (!socket.destroyed) socket.write(lineOf(request));
      const reply = await next<Reply<Row>>();
      if (!reply) throw new WorkerEnded(`the process that had ${folder} has ended, or waited too long`);
      if (reply.kind === 'fault') throw errorOf(reply);
      return reply;
    },
    async close() {
      socket.destroy();
    },
    async kill() {
      socket.destroy();
    },
  };
}
