// Listening: whether the address can be had, found out before any work is done for it.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** @throws an Error that names the variable to change, where `host` and `port` cannot be listened on */
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
  const unknownName = `HOST is ${host}, a name that cannot be looked up: set it to an address of this machine`;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is taken: set ${portVariable} to another, or stop who has it`,
    EACCES: `Port ${port} of ${host} is for privileged users: set ${portVariable} to one above 1023`,
    EADDRNOTAVAIL: `HOST is ${host}, which is no address of this machine: 0.0.0.0 takes all of them`,
    ENOTFOUND: unknownName,
    EAI_AGAIN: unknownName,
  };
  const other = `${host}, port ${port}, cannot be listened on: set HOST and ${portVariable}`;
  return new Error(reasons[String(error.code)] ?? other, { cause: error });
}
