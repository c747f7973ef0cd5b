// Requests of callers that load the service, and services whose queues a test can see.
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { AppOptions } from '../../src/http/app.ts';
import type { Inside } from '../../src/http/request-accounting.ts';
import { serviceOn } from './service-on.ts';

export const range = (limit: number) => `/api/v1/audio/range?from=now-1h&to=now&limit=${limit}`;
export const batch = (...calls: [path: string, input: object][]) =>
  `/trpc/${calls.map(([path]) => path)}?batch=1&input=${encodeURIComponent(JSON.stringify(Object.fromEntries(calls.map(([, input], i) => [i, input]))))}`;
export const ranged = (limit: number): [string, object] => [
  'audio.range',
  { from: 'now-1h', to: 'now', limit },
];

/** A service, its parts, and the requests that it is answering. */
export async function watched(db: Database, options: Partial<AppOptions>) {
  const { promise: inside, resolve } = Promise.withResolvers<Inside>();
  const answering = new Set<ServerResponse>();
  const watch = ({ server }: { server: Server }, its: Inside) => {
    resolve(its);
    server.on('request', (_, response: ServerResponse) => {
      answering.add(response);
      response.once('close', () => answering.delete(response));
    });
  };
  const url = await serviceOn(db, { ...options, watchers: [watch] });
  return { url, answering, ...(await inside) };
}

/** Sends a request, and reads only the head of the answer. */
export async function stall(url: string, path: string, headers = '') {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const ended = new Promise<void>((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve());
  });
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`);
  await once(socket, 'readable');
  return { socket, ended };
}
