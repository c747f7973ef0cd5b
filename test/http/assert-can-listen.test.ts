import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assertCanListen } from '../../src/http/assert-can-listen.ts';
import { listen } from '../cluster.ts';
import { start, temporaryFolder } from '../process.ts';

async function takenPort(): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  return listen(server);
}

it('A free port stays free', async () => {
  await assertCanListen('127.0.0.1', 0);
  await assertCanListen('localhost', 0);
});

it('An unavailable address is refused with the name of the variable', async () => {
  const port = await takenPort();
  const refused = async (host: string, at: number, variable?: string) =>
    assertCanListen(host, at, variable).then(
      () => 'no error',
      (error: Error) => error.message,
    );
  expect(await refused('127.0.0.1', port)).toBe(
    `Port ${port} of 127.0.0.1 is in use: set PORT to another port, or stop the program that uses it`,
  );
  expect(await refused('127.0.0.1', port, 'METRICS_PORT')).toContain('set METRICS_PORT to another');
  expect(await refused('192.0.2.1', port)).toBe(
    'HOST is 192.0.2.1, but this machine has no such address. Set HOST to 0.0.0.0 to listen on all its addresses',
  );
  expect(await refused('nowhere.invalid', port)).toBe(
    'HOST is nowhere.invalid, but this name has no address. Set HOST to an address of this machine',
  );
});

describe.each(['serve', 'demo'])('%s finds before it opens its database', (command) => {
  it.each(['PORT', 'METRICS_PORT'])('that %s is taken', async (variable) => {
    const port = String(await takenPort());
    const DATA_DIR = join(temporaryFolder(), 'data');
    const service = start([command], { [variable]: port, DATA_DIR });
    expect(await service.ended).toBe(1);
    expect(service.output()).toMatch(`Port ${port} of 127.0.0.1 is in use: set ${variable} to another`);
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it('that the file of API keys is missing, a mistake in the configuration', async () => {
    const folder = temporaryFolder();
    const [DATA_DIR, API_KEYS_FILE] = [join(folder, 'data'), join(folder, 'keys')];
    const service = start([command], { API_KEYS_FILE, DATA_DIR });
    expect(await service.ended).toBe(2);
    expect(service.output()).toMatch(/^API_KEYS_FILE is .*, which cannot be read:\n.*no such file/);
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});
