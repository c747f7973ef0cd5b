import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/page/build.ts', 'test/databases.ts'],
    // the tests wait for servers more than they compute: as many as there are cores
    maxWorkers: availableParallelism(),
    // a worker imports the modules once, not for each file: a quarter of the processor time
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // what is waited for may take its time on a busy machine
    expect: { poll: { timeout: 30_000 } },
  },
});
