// Listening: checks that the address is available before any other work.
import { once } from 'node:events';
import { createServer } from 'node:net';

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

export function listenFault(error: unknown, host: string, port: number, portVariable: string): unknown {
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
