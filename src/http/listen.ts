// Listening: checks that the port is free, and opens one server for every address that HOST names.
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

/** @throws an Error that names the variable to change, if the service cannot listen on `host` and `port` */
export async function assertCanListen(host: string, port: number, portVariable = 'PORT'): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch (error) {
    throw listenFault(error, host, port, portVariable);
  }
  await new Promise((resolve) => server.close(resolve));
}

function listenFault(error: unknown, host: string, port: number, portVariable: string): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const unknownName = `HOST is ${host}, but this name has no address. Set HOST to an address of this machine`;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is in use: set ${portVariable} to another port, or stop the program that uses it`,
    EACCES: `Port ${port} of ${host} needs a privileged user: set ${portVariable} to a port above 1023`,
    EADDRNOTAVAIL: `HOST is ${host}, but this machine has no such address. Set HOST to 0.0.0.0 to listen on all its addresses`,
    ENOTFOUND: unknownName,
    EAI_AGAIN: unknownName,
  };
  const other = `Cannot listen on ${host}, port ${port}: set HOST and ${portVariable}`;
  return new Error(reasons[String(error.code)] ?? other, { cause: error });
}
