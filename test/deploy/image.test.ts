import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { freePort, listen } from '../cluster.ts';
import { run } from '../program.ts';

const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');

describe('The health check of the image', () => {
  const [, text = ''] = /HEALTHCHECK[^[]*CMD (\[.*\])/.exec(dockerfile) ?? [];
  const command = z.array(z.string()).parse(JSON.parse(text));
  const check = async (port: number) => (await run(command, { env: { PORT: String(port) } })).status;
  const answering = async (answer: RequestListener) => {
    const server = createServer(answer);
    onTestFinished(() => void server.close());
    return listen(server);
  };

  it('passes if health.live answers 200', async () => {
    const port = await answering(({ url, headers }, response) =>
      response.writeHead(url === '/api/v1/health/live' && headers.host === '127.0.0.1' ? 200 : 404).end(),
    );
    expect(await check(port)).toBe(0);
  });

  it('fails if health.live has another status or no answer, or if no process listens', async () => {
    expect(await check(await answering((_, response) => response.writeHead(503).end()))).toBe(1);
    expect(await check(await answering(({ socket }) => socket.destroy()))).toBe(1);
    expect(await check(await freePort())).toBe(1);
  });
});

it('labels the image with the version and the licence of the package', () => {
  const labels = Array.from(
    dockerfile.matchAll(/org\.opencontainers\.image\.(\w+)="(.*?)"/g),
    ([, ...label]) => label,
  );
  expect(Object.fromEntries(labels)).toEqual({
    title: packageJson.name,
    version: packageJson.version,
    licenses: packageJson.license,
  });
});
