// Asks the database for the metrics of a scrape: rarely, and without keeping the scrape waiting.
import { setTimeout as sleep } from 'node:timers/promises';
import { instantOf } from '../contract/instant.ts';
import type { InfoOutput } from '../contract/service.ts';
import { newestTime } from '../queries/points/newest-time.ts';
import type { Store } from '../store/store.ts';

/** What a probe found, without what the database did not answer. */
interface Findings {
  /** Whether the service would be ready. */
  up: boolean;
  /** The age of the newest point that is not dated ahead by more than a minute. */
  newestAgeSeconds?: number;
  rollups?: InfoOutput['rollups'];
}

/** How long the findings of a probe are good for. */
const REMEMBERED_MS = 5000;

/** How long a scrape waits for a probe: less than Prometheus waits for the scrape. */
const PATIENCE_MS = 1500;

/** The clocks of a recorder and of the service may differ by this much. */
const AHEAD_MS = 60_000;

/** @returns a function that probes the database, or repeats what it found a moment ago. Never throws. */
export function createDatabaseProbe({ db, rollups }: Store): () => Promise<Readonly<Findings>> {
  let findings: Findings = { up: false };
  let probing: Promise<unknown> | undefined;
  let [begun, until] = [0, Number.NEGATIVE_INFINITY];

  /** A late answer still counts. The next probe begins when all of this one has ended. */
  function probe(): Promise<unknown> {
    const found: Findings = { up: false };
    findings = found;
    begun = performance.now();
    return Promise.allSettled([
      db.ready().then(() => {
        found.up = true;
      }),
      newestTime({ db, rollups }, instantOf(Date.now() + AHEAD_MS)).then((newest) => {
        if (newest !== undefined) found.newestAgeSeconds = (Date.now() - Date.parse(newest)) / 1000;
      }),
      rollups.check().then(({ state }) => {
        found.rollups = state;
      }),
    ]).then(() => {
      until = performance.now() + REMEMBERED_MS;
      probing = undefined;
    });
  }

  return async () => {
    if (!probing && performance.now() >= until) probing = probe();
    const left = begun + PATIENCE_MS - performance.now();
    if (probing && left > 0) await Promise.race([probing, sleep(left, undefined, { ref: false })]);
    return findings;
  };
}
