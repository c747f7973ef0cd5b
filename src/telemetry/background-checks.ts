// What the service watches by itself, and logs once an hour: policies that fail, and points dated ahead.
import { instantOf } from '../contract/instant.ts';
import { MOST_AHEAD } from '../contract/quality.ts';
import type { Database } from '../db/database.ts';
import { type PointsAhead, pointsAhead } from '../queries/points/points-ahead.ts';
import { type JobHealth, policyHealth, tellFailure } from '../timescale/policy-health.ts';

export interface Seen {
  readonly jobs: readonly JobHealth[];
  readonly ahead: PointsAhead;
}

export interface Watch {
  /** What it saw last; undefined before that, and after a look that failed. */
  latest(): Seen | undefined;
  /** Looks now. It never throws: a fault is logged, once until it passes. */
  look(): Promise<void>;
  stop(): void;
}

const EVERY_MS = 60_000;
const AGAIN_MS = 3_600_000;

/** @param clock in milliseconds since 1970 */
export function watch(
  db: Database,
  log: { warn(fields: object, message: string): void },
  clock: () => number = Date.now,
): Watch {
  const told = new Map<string, number>();
  let seen: Seen | undefined;
  let isBlind = false;

  function tell(what: string, fields: object, message: string): void {
    const before = told.get(what);
    if (before !== undefined && clock() - before < AGAIN_MS) return;
    told.set(what, clock());
    log.warn(fields, message);
  }

  async function look(): Promise<void> {
    try {
      const ahead = await pointsAhead(db, instantOf(clock() + 60_000));
      const jobs = await policyHealth(db);
      seen = { jobs, ahead };
      isBlind = false;
      for (const job of jobs)
        if (job.failing) tell(`job ${job.jobId}`, { job }, `A policy fails: ${tellFailure(job)}`);
      const many =
        ahead.count === MOST_AHEAD ? `${MOST_AHEAD} or more points are` : `${ahead.count} of the points are`;
      if (ahead.count > 0)
        tell(
          'ahead',
          ahead,
          `${many} dated a minute or more ahead, up to ${ahead.newest}: they stay first among the latest until then`,
        );
    } catch (error) {
      seen = undefined;
      if (!isBlind) log.warn({ err: error }, 'The policies and the points dated ahead cannot be looked at');
      isBlind = true;
    }
  }

  const timer = setInterval(look, EVERY_MS).unref();
  return { latest: () => seen, look, stop: () => clearInterval(timer) };
}
