// Listening: one server for every address that HOST names.
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** @returns the addresses of `localhost`, up to one of each family; for any other host, the host itself */
export async function addressesOf(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * Listens on the first address, and on the others if available. `app.server` handles all connections. Fastify alone
 * would start a server without its setup for each further address of `localhost`.
 */
export async function listen(
  app: FastifyInstance,
  [first, ...others]: readonly string[],
  port: number,
  announce: (at: string) => string,
): Promise<string> {
  const doors = others.map((host) => ({
    host,
    // the options of Node's HTTP server
    door: createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      app.server.emit('connection', Object.assign(socket, { server: app.server })); // its clientErrorHandler handles errors
    }),
  }));
  const closed: Promise<unknown>[] = [];
  app.addHook('preClose', async () => {
    for (const { door } of doors) closed.push(new Promise((resolve) => door.close(resolve)));
  });
  app.addHook('onClose', async () => {
    await Promise.all(closed); // they close with the last connection
  });
  const url = await app.listen({ ...(first && { host: first }), port, listenTextResolver: announce });
  const { port: taken } = app.server.address() as AddressInfo;
  for (const { host, door } of doors)
    try {
      await once(door.listen({ host, port: taken }), 'listening');
      app.log.info(announce(`http://${host.includes(':') ? `[${host}]` : host}:${taken}`));
      door.on('error', (err) => app.log.error({ err }, 'A connection could not be accepted'));
    } catch (err) {
      app.log.warn(
        { err },
        `Cannot listen on ${host}, port ${taken}; the service listens on the other address only`,
      );
    }
  return url;
}
