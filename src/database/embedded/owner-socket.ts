// The Unix socket in the data folder. Through it, the owner process of the embedded database serves other commands.
// Each command has a connection and sends one request per line. A transaction spans all requests from `begin` to its
// end. Nobody reads in between: in the only session, a reader would see changes that may still be rolled back.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Database, Log, RunStatement } from '../database.ts';
import { codeOf } from '../faults.ts';
import { TEXT_SETTINGS } from '../session.ts';
import { type Engine, errorOf } from './engine.ts';
import { type Answer, DONE, faultReply, type Reply, type Request } from './messages.ts';
import { WorkerEnded } from './stopped.ts';

/** The longest socket path that systems allow, in bytes. */
const LONGEST_PATH = 103;
/** The umask of the socket: only users who may read the database files may connect. */
const OTHERS = 0o177;
const PATIENCE_MS = 5000;
/** The first line to a client. Other versions do not understand this version's requests. */
const GREETING = { protocol: 2 };

const pathIn = (folder: string) => join(folder, 'socket');

/** @throws Error that names the folder if its path is too long for a socket */
export function assertSocketFits(folder: string): void {
  const bytes = Buffer.byteLength(pathIn(folder));
  if (bytes > LONGEST_PATH)
    throw new Error(
      `The path of the data folder ${folder} is too long for the socket in it: ${bytes} bytes, and systems allow ${LONGEST_PATH}. Set DATA_DIR to a folder with a shorter path`,
    );
}

/**
 * @param folder the folder of the database, which this process holds
 * @param hold called when a client connects; the function it returns is called when that client disconnects
 * @param patienceMs how long other clients wait for one that pauses inside a transaction
 */
export async function openOwnerSocket(
  folder: string,
  db: Database,
  log: Log,
  hold: () => () => void,
  patienceMs = PATIENCE_MS,
) {
  const sockets = new Set<Socket>();
  const served = new Set<Promise<void>>();
  const server = createServer((socket) => {
    const release = hold();
    sockets.add(socket.on('timeout', () => socket.destroy()));
    socket.once('close', () => {
      sockets.delete(socket);
      release();
    });
    const serving = serveClient(socket, db, patienceMs)
      .catch(() => {}) // it has disconnected
      .finally(() => socket.destroy())
      .then(() => resetSession(db))
      .catch(() => {}) // the database has stopped
      .finally(() => served.delete(serving));
    served.add(serving);
  });
  const path = pathIn(folder);
  const mask = process.umask(OTHERS); // not chmod: the folder's file system may have no permissions
  try {
    rmSync(path, { force: true }); // left by a killed process: this process holds the folder now
    server.listen(path);
    process.umask(mask);
    await once(server, 'listening');
  } catch (err) {
    process.umask(mask);
    log.warn(
      { err, path },
      'Cannot create the socket for commands, so no command can run beside this process: check the permissions of DATA_DIR',
    );
  }
  server.unref();
  return {
    /** Waits until no client is connected. */
    async left() {
      for (const socket of sockets) if (!socket.closed) await once(socket, 'close');
    },
    /** Disconnects all clients and rolls back the transactions that they have begun. */
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(served);
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
  const reply = (work: Promise<Reply<unknown>>) => work.catch(faultReply).then(send);
  send(GREETING);
  for (let request = await next<Request>(); request; request = await next()) {
    if (request.kind === 'begin') await reply(serveTransaction(db, nextOfTransaction, reply));
    else await reply(answer(request, db.run));
  }
}

/** Takes back what the statements of a client left behind, such as an open transaction, a lock or a search_path. */
async function resetSession({ run, transaction }: Database): Promise<void> {
  await run?.('rollback');
  await transaction(async (session) => {
    for (const text of ['rollback', 'discard all', TEXT_SETTINGS]) await session.run(text);
  });
}

/** @returns the response to the request that ends the transaction */
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
        await reply(copy(request.csv, request.schema).then((affectedRows) => ({ ...DONE, affectedRows })));
      else await reply(answer(request, run));
    }
  });
  await work.catch((error) => {
    if (error !== rolledBack) throw error;
  });
  return DONE;
}

async function answer(request: Request, run: RunStatement | undefined): Promise<Answer<unknown>> {
  if ((request.kind !== 'query' && request.kind !== 'script') || !run)
    throw new TypeError(`Unknown request: ${request.kind}`);
  return { ...DONE, rows: await run(request.text, 'values' in request ? request.values : undefined) };
}

/** One line. Escapes every kind of line end, because the line reader splits at more than line feeds. */
const lineOf = (message: object) =>
  `${JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;

type Next = <Line>() => Promise<Line | undefined>;

/** @returns a function that reads the next line, or undefined at the end */
function reader(socket: Socket): Next {
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  socket.on('error', () => {}).once('close', () => lines.close());
  const read = lines[Symbol.asyncIterator]();
  return async () => {
    const line = await read.next().catch(() => undefined); // the connection broke
    return !line || line.done ? undefined : JSON.parse(line.value);
  };
}

/** @returns undefined if no process listens. @throws Error if it is another user's or runs another version */
export async function connectToOwner(folder: string): Promise<Engine | undefined> {
  const socket = connect(pathIn(folder));
  try {
    await once(socket, 'connect');
  } catch (error) {
    const code = error instanceof Error ? codeOf(error) : '';
    if (code === 'EACCES')
      throw new Error(`The process that holds ${folder} runs as another user: run this command as that user`);
    if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EAGAIN'].includes(code)) return undefined; // that process is starting, ending or busy
    throw error;
  }
  const next = reader(socket);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy()); // a suspended process sends no greeting
  const greeting = await next<Partial<typeof GREETING>>();
  socket.setTimeout(0);
  if (!greeting) return undefined;
  if (greeting.protocol !== GREETING.protocol) {
    socket.destroy();
    throw new Error(`The process that holds ${folder} runs another version: restart it, then try again`);
  }
  const close = async () => void socket.destroy();
  return {
    async send<Row>(request: Request) {
      if (!socket.destroyed) socket.write(lineOf(request));
      const reply = await next<Reply<Row>>();
      if (!reply)
        throw new WorkerEnded(
          `the process that held ${folder} has ended, or waited too long for this command`,
        );
      if (reply.kind === 'fault') throw errorOf(reply);
      return reply;
    },
    close,
    kill: close,
  };
}
