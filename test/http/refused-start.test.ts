import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assertCanListen } from '../../src/http/listen.ts';
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
  for (const [host, variable, facts] of [
    ['127.0.0.1', undefined, `Port ${port} of 127.0.0.1 is in use: set PORT`],
    ['127.0.0.1', 'METRICS_PORT', 'set METRICS_PORT'],
    ['192.0.2.1', undefined, 'HOST is 192.0.2.1, but this machine has no such address'],
    ['nowhere.invalid', undefined, 'HOST is nowhere.invalid, but this name has no address'],
  ] as const)
    await expect(assertCanListen(host, port, variable)).rejects.toThrow(facts);
});

describe.each([
  ['serve', 'PORT'],
  ['demo', 'METRICS_PORT'],
])('%s finds before it opens its database', (command, variable) => {
  it(`that ${variable} is taken`, async () => {
    const port = String(await takenPort());
    const DATA_DIR = join(temporaryFolder(), 'data');
    const service = start([command], { [variable]: port, DATA_DIR });
    expect(await service.ended).toBe(1);
    expect(service.output()).toMatch(`Port ${port} of 127.0.0.1 is in use: set ${variable} to another`);
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});

it('demo refuses a missing file of API keys before it opens its database', async () => {
  const folder = temporaryFolder();
  const [DATA_DIR, API_KEYS_FILE] = [join(folder, 'data'), join(folder, 'keys')];
  const service = start(['demo'], { API_KEYS_FILE, DATA_DIR });
  expect(await service.ended).toBe(2);
  expect(service.output()).toMatch(/^API_KEYS_FILE is .*, which cannot be read:\n.*no such file/);
  expect(existsSync(DATA_DIR)).toBe(false);
});
