// Requests as bytes over kept connections, because Node's client and fetch would correct their spelling.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Received {
  status: number;
  head: string;
  body: string;
}

/** @returns a function that sends requests on one connection, which it opens again when the service closes it */
export function openConnection(port: number) {
  let socket: Socket | undefined;
  const close = () => void socket?.destroy();
  const send = async (target: string, headers: Readonly<Record<string, string>> = {}): Promise<Received> => {
    if (!socket || socket.destroyed || socket.readableEnded) {
      socket = connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
    }
    const lines = Object.entries({ host: 'localhost', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write([`GET ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'utf8');
    return receive(socket);
  };
  return { send, close };
}

function receive(socket: Socket): Promise<Received> {
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (received: Received) => {
      socket.off('data', read).off('close', closed).off('error', closed);
      if (/^connection: close/im.test(received.head)) socket.destroy();
      resolve(received);
    };
    const read = (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const received = whole(text);
      if (received) end(received);
    };
    const closed = () => {
      const [head = '', body = ''] = text.split('\r\n\r\n', 2);
      if (head === '') reject(new Error('The service closed the connection without an answer'));
      else end({ status: Number(head.slice(9, 12)), head, body });
    };
    socket.on('data', read).on('close', closed).on('error', closed);
  });
}

/** @returns an answer once it has arrived; of an event stream, its first event with data */
function whole(text: string): Received | undefined {
  const split = text.indexOf('\r\n\r\n');
  if (split === -1) return undefined;
  const [head, body] = [text.slice(0, split), text.slice(split + 4)];
  const received = { status: Number(head.slice(9, 12)), head, body };
  if (/^content-type: text\/event-stream/im.test(head)) {
    if (!/^(id: .+|event: serialized-error)\n/m.test(body.replace(/(^|\r\n)[0-9a-f]+\r\n/g, '')))
      return undefined;
    return { ...received, head: `${head}\r\nconnection: close` };
  }
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length !== undefined) return body.length >= Number(length) ? received : undefined;
  if (/^transfer-encoding: chunked/im.test(head))
    return /(^|\r\n)0\r\n\r\n$/.test(body) ? received : undefined;
  return received.status === 204 || received.status === 304 ? received : undefined;
}
