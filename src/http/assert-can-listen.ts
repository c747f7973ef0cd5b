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
  if (!(error instanceof Error) || !('code' in error)) return error;
  const because = (message: string) => new Error(message, { cause: error });
  switch (error.code) {
    case 'EADDRINUSE':
      return because(`Port ${port} of ${host} is taken: set ${portVariable} to another, or stop who has it`);
    case 'EACCES':
      return because(
        `Port ${port} of ${host} is for privileged users: set ${portVariable} to one above 1023`,
      );
    case 'EADDRNOTAVAIL':
      return because(`HOST is ${host}, which is no address of this machine: 0.0.0.0 takes all of them`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return because(
        `HOST is ${host}, a name that cannot be looked up: set it to an address of this machine`,
      );
    default:
      return because(`${host}, port ${port}, cannot be listened on: set HOST and ${portVariable}`);
  }
}
