import { expect, it } from 'vitest';
import { NO_DATABASE, start } from '../process.ts';

// a process, for its event loop
it('maintain runs until a signal, even if nothing else keeps the process alive', async () => {
  const running = start(['maintain'], { DATABASE_URL: NO_DATABASE });
  await expect
    .poll(running.output)
    .toContain('The database cannot be reached; retrying every minute (connect ECONNREFUSED');
  expect(await running.stop()).toBe(0);
});
