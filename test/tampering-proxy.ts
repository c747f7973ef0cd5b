// A proxy between the service and a server. It breaks the protocol in the ways a test chooses.
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './cluster.ts';

/** Changes the server's bytes on one connection; `near` is the service's end, to write to or to break. */
export type Tamper = (piece: Buffer, near: Socket) => Buffer | undefined;

/** Called for each connection when it opens. */
export type Tampering = () => Tamper;

/** "terminating connection due to administrator command", as a server that shuts down sends it. */
export const FATAL = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');

/** ReadyForQuery outside a transaction. */
const READY = message('Z', 'I');

/** A message of the protocol: a letter, a length including itself, a body. */
export function message(letter: string, body: string): Buffer {
  const head = Buffer.from(`${letter}....`);
  head.writeUInt32BE(4 + Buffer.byteLength(body), 1);
  return Buffer.concat([head, Buffer.from(body)]);
}

/** Appends the result of `act` to the packet that reports ready for the `n`th time. */
export function onceReady(n: number, act: (near: Socket) => Buffer | undefined): Tampering {
  return () => {
    let count = 0;
    return (piece, near) => {
      if (!piece.subarray(-READY.length).equals(READY) || ++count !== n) return piece;
      const more = act(near);
      return more && Buffer.concat([piece, more]);
    };
  };
}

/** Replaces the first piece that the server sends beyond `n` bytes. */
export function after(n: number, act: (near: Socket) => Buffer | undefined): Tampering {
  return () => {
    let [seen, done] = [0, false];
    return (piece, near) => {
      seen += piece.length;
      if (done || seen <= n) return piece;
      done = true;
      return act(near);
    };
  };
}

/** Starts the proxy. `tamper` closes all connections, and decides how new ones fare. By default they stay intact. */
export async function startProxy(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let tampering: Tampering | undefined;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const tamper = tampering?.() ?? ((piece: Buffer) => piece);
    for (const socket of [near.setNoDelay(), far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (piece) => {
      const sent = tamper(piece, near);
      if (sent === undefined || near.destroyed) return;
      if (near.write(sent)) return;
      far.pause();
      near.once('drain', () => far.resume());
    });
    far.on('end', () => near.end());
  });
  const url = new URL(target);
  url.port = String(await listen(server));
  return {
    url: url.href,
    tamper(next: Tampering | undefined) {
      tampering = next;
      for (const socket of sockets) socket.destroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
