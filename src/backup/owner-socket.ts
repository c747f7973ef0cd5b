// The socket in the folder of the embedded database by which the process that has it gives a backup to another.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Only who may read the files of the database may connect. */
const OWNER_ONLY = 0o177;
/** What systems allow for the path of a socket. */
const LONGEST_PATH = 103;

/**
 * @param folder that of the database, which this process has
 * @param lines called for each backup
 */
export async function openOwnerSocket(
  folder: string,
  lines: () => AsyncIterable<Buffer>,
  log: { warn(fields: object, message: string): void },
) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    pipeline(Readable.from(lines()), socket).catch(() => {}); // whoever left sees no end
  });
  const path = pathIn(folder);
  rmSync(path, { force: true }); // of a process that was killed: this one has the folder now
  const mask = process.umask(OWNER_ONLY);
  try {
    server.listen(path);
  } finally {
    process.umask(mask);
  }
  const fault = await once(server, 'listening').then(
    () => undefined,
    (error: Error) => error,
  );
  if (fault)
    log.warn(
      { err: fault, path },
      'No backup can be taken while this process runs: its socket cannot be made',
    );
  server.unref();
  return {
    /** Ends the backups that are under way. */
    async close() {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

/** @returns the lines that the owner gives; undefined where nobody listens */
export async function askOwner(folder: string): Promise<Socket | undefined> {
  const socket = connect(pathIn(folder));
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES')
      throw new Error(`The service that has ${folder} runs as another user: take the backup as that user`);
    return undefined;
  }
}

/** The shorter of the two ways to say it. */
function pathIn(folder: string): string {
  const whole = join(resolve(folder), 'backup.sock');
  return whole.length <= LONGEST_PATH ? whole : relative('.', whole);
}
