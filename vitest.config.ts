import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They begin first, so that all workers end together. */
const LONGEST =
  /(plain-rollups|new-period|noise-events|beside-service|embedded|embedded-worker|demo|killed|backup|export|quality|figures-of-points|power-cuts|summary|states|bench\/stats|page\/report|page\/answer|page\/live|against-limits|adoption|raw-retention|moving|cli\/serve|sound-clock|agreement|spacings|source|live-cuts)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { long = [], short = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      LONGEST.test(moduleId) ? 'long' : 'short',
    );
    return [...long, ...short];
  }
}

export default defineConfig({
  test: {
    globalSetup: ['test/page/build.ts', 'test/databases.ts'],
    // the tests wait for servers and timers half of the time
    maxWorkers: availableParallelism() + 1,
    // a worker imports the modules once, not for each file: a quarter of the processor time
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // what is waited for may take its time on a busy machine
    expect: { poll: { timeout: 30_000 } },
  },
});
