import { closeSync, existsSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { freePort } from '../cluster.ts';
import { needs } from '../needs.ts';
import { NO_DATABASE, start } from '../process.ts';

const DATABASE_URL = NO_DATABASE;

/** Makes Node.js throw an unhandled error at each SIGWINCH, and an error of a broken runtime at SIGUSR2. */
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(
  [
    ['SIGWINCH', "new Error('out of nowhere')"],
    ['SIGUSR2', "new WebAssembly.RuntimeError('unreachable')"],
  ]
    .map(([signal, error]) => `process.on('${signal}', () => { Promise.reject(${error}); throw ${error}; });`)
    .join(''),
)}`;

// in its own process, because the errors would end this one
it('logs an unhandled error and keeps answering, but exits if the runtime itself has failed', async () => {
  const service = start(['serve'], { DATABASE_URL, NODE_OPTIONS });
  const live = `${await service.address()}/api/v1/health/live`;
  for (let round = 1; round <= 2; round++) {
    service.kill('SIGWINCH');
    await expect
      .poll(() => service.output().match(/"Unhandled error: please report it"/g)?.length)
      .toBe(2 * round);
    expect((await fetch(live)).status).toBe(200);
  }
  service.kill('SIGUSR2');
  expect(await service.ended).toBe(1);
  expect(service.output()).toContain('The runtime has failed, so the service exits');
});

it(
  'keeps answering while the disk of its log is full',
  needs('/dev/full', existsSync('/dev/full')),
  async () => {
    const [PORT, full] = [String(await freePort()), openSync('/dev/full', 'w')];
    const service = start(['serve'], { PORT, LOG_LEVEL: 'debug', DATABASE_URL }, '.', full);
    const status = (path: string) =>
      fetch(`http://127.0.0.1:${PORT}/api/v1/${path}`, { signal: AbortSignal.timeout(30_000) }).then(
        (answer) => answer.status,
        () => 0,
      );
    await expect.poll(() => status('health/live')).toBe(200);
    expect(await status('audio/latest?limit=0')).toBe(400);
    expect(await service.stop()).toBe(0);
    closeSync(full);
  },
);
