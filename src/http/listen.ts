// Listening: one server for every address that HOST names.
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** @returns the addresses of `localhost`, which may have one of each family; of another host only itself */
export async function addressesOf(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * Listens on the first address, and on the others as far as they can be had. Fastify would start a server for each
 * of `localhost`, without what was set up on `app.server`; here that one takes the connections of all.
 */
export async function listen(
  app: FastifyInstance,
  [first, ...others]: readonly string[],
  port: number,
  announce: (at: string) => string,
): Promise<string> {
  const doors = others.map((host) => ({
    host,
    // as Node's HTTP server has it
    door: createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      app.server.emit('connection', Object.assign(socket, { server: app.server })); // its clientErrorHandler is told of errors
    }),
  }));
  const closed: Promise<unknown>[] = [];
  app.addHook('preClose', async () => {
    for (const { door } of doors) closed.push(new Promise((resolve) => door.close(resolve)));
  });
  app.addHook('onClose', async () => {
    await Promise.all(closed); // with the last connection
  });
  const url = await app.listen({ ...(first && { host: first }), port, listenTextResolver: announce });
  const { port: taken } = app.server.address() as AddressInfo;
  for (const { host, door } of doors)
    try {
      await once(door.listen({ host, port: taken }), 'listening');
      app.log.info(announce(`http://${host.includes(':') ? `[${host}]` : host}:${taken}`));
      door.on('error', (err) => app.log.error({ err }, 'A connection could not be taken'));
    } catch (err) {
      app.log.warn({ err }, `${host}, port ${taken}, cannot be listened on; the other address is`);
    }
  return url;
}
