// What a scrape asks of the database: little, seldom, and never for long.
import { instantOf } from '../contract/instant.ts';
import { newestTime } from '../queries/points/newest-time.ts';
import type { Store, WhyNot } from '../timescale/rollups-in-use.ts';

/** What was found; what could not be is left out. */
export interface Look {
  /** Whether the service would be ready. */
  up: boolean;
  /** Of the newest point that is not dated ahead by more than a minute. */
  newestAgeSeconds?: number;
  rollups?: 'in use' | WhyNot;
}

/** How long a look holds. */
const REMEMBERED_MS = 5000;

/** How long a scrape waits for it: less than Prometheus does. */
const PATIENCE_MS = 1500;

/** The clocks of a recorder and of the service may differ by this much. */
const AHEAD_MS = 60_000;

/** @returns a function that looks, or says what it saw a moment ago. It never throws. */
export function createLook({ db, rollups }: Store, now = Date.now): () => Promise<Readonly<Look>> {
  let seen: Look = { up: false };
  let looking: Promise<unknown> | undefined;
  let [begun, until] = [0, Number.NEGATIVE_INFINITY];

  /** What is answered late is still seen; a second look begins when all of the first has ended. */
  function look(): Promise<unknown> {
    const found: Look = { up: false };
    seen = found;
    begun = performance.now();
    return Promise.allSettled([
      db.ready().then(() => {
        found.up = true;
      }),
      newestTime({ db, rollups }, instantOf(now() + AHEAD_MS)).then((newest) => {
        if (newest !== undefined) found.newestAgeSeconds = (now() - Date.parse(newest)) / 1000;
      }),
      rollups.inUse().then((inUse) => {
        const whyNot = inUse ? 'in use' : rollups.whyNot();
        if (whyNot) found.rollups = whyNot;
      }),
    ]).then(() => {
      until = performance.now() + REMEMBERED_MS;
      looking = undefined;
    });
  }

  return async () => {
    if (!looking && performance.now() >= until) looking = look();
    const left = begun + PATIENCE_MS - performance.now();
    if (looking && left > 0) {
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, left);
      });
      await Promise.race([looking, patience]).finally(() => clearTimeout(timer));
    }
    return seen;
  };
}
