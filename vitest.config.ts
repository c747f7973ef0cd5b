// `vitest run` runs the suite. `vitest run --mode soak` runs slow tests (`*.soak.ts`), and the wire tests on the
// engines that the suite leaves out.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const ENGINES = ['pglite', 'postgres', 'timescaledb', 'citus'] as const;

const { ENGINE } = process.env;
/** The engine of the wire tests. */
const engine = ENGINES.find((name) => name === (ENGINE || 'postgres'));
if (!engine) throw new Error(`ENGINE is ${ENGINE}; it must be one of ${ENGINES.join(', ')}`);

const project = (name: string, include: string[], wireEngine: (typeof ENGINES)[number] = engine) => ({
  test: {
    name,
    include,
    provide: { wireEngine },
    setupFiles: ['test/check-answers.ts'],
    // a worker imports the modules once, not for each file: a quarter of the processor time
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // a busy machine may need this long
    expect: { poll: { timeout: 60_000 } },
  },
});

export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: ['test/databases.ts', 'test/browser.ts'],
    reporters: ['default', 'test/closing-report.ts'],
    // the tests wait for servers half of the time
    maxWorkers: availableParallelism() + 2,
    projects:
      mode === 'soak'
        ? [
            project('soak', ['test/**/*.soak.ts']),
            ...ENGINES.filter((other) => other !== engine).map((other) =>
              project(`wire-${other}`, ['test/{http,operations,rollups}/**/*.test.ts'], other),
            ),
          ]
        : [project('suite', ['test/**/*.test.ts'])],
  },
}));
