// Queries the database for the metrics of a scrape: rarely, and without delaying the scrape.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Inside } from '../http/request-accounting.ts';
import type { InfoOutput } from '../operations/service/contract.ts';

/** The findings of a probe. Values that the database did not deliver are missing. */
interface Findings {
  up: boolean;
  levels?: Awaited<ReturnType<Inside['overview']['levels']>>;
  rollups?: InfoOutput['rollups'];
}

const REMEMBERED_MS = 5000;

/** How long a scrape waits for a probe: less than Prometheus waits for the scrape. */
const PATIENCE_MS = 1500;

/** @returns a function that probes the database, or repeats recent findings. Never throws. */
export function createDatabaseProbe(inside: Inside): () => Promise<Readonly<Findings>> {
  const { db, rollups, stations, overview } = inside;
  let findings: Findings = { up: false };
  let probing: Promise<unknown> | undefined;
  let [begun, until] = [0, Number.NEGATIVE_INFINITY];

  /** A late answer still counts. The next probe begins when every query of this one has ended. */
  function probe(): Promise<unknown> {
    const found: Findings = { up: false };
    findings = found;
    begun = performance.now();
    return Promise.allSettled([
      db.ready().then(() => {
        found.up = true;
      }),
      stations.names().then(async (names) => {
        found.levels = await overview.levels(names);
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
