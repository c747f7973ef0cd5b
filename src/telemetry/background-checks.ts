// Checks once a minute for failing and foreign policies, stale rollups and points dated ahead. Logs each at most once an hour.
import { aheadOf, instantOf } from '../contract/instant.ts';
import { MOST_AHEAD } from '../contract/station.ts';
import type { Database } from '../database/database.ts';
import { isUnreachable } from '../database/faults.ts';
import { type JobHealth, policyHealth, policyWarnings } from '../database/timescale/policy-health.ts';
import type { RollupRefresh } from '../operations/service/contract.ts';
import { type PointsAhead, pointsAhead } from '../operations/stats/quality/points-dated-ahead.ts';
import { minutesText, refreshState } from '../rollups/rollup-backlog.ts';

export interface Findings {
  readonly jobs: readonly JobHealth[];
  /** Null if the role may not read it. */
  readonly refresh: RollupRefresh | null;
  readonly ahead: PointsAhead;
}

const EVERY_MS = 60_000;
const AGAIN_MS = 3_600_000;

/** @param clock in milliseconds since 1970 */
export function startBackgroundChecks(
  db: Database,
  log: { warn(fields: object, message: string): void },
  clock: () => number = Date.now,
) {
  const loggedAt = new Map<string, number>();
  let findings: Findings | undefined;
  let isFailing = false;

  function warn(topic: string, fields: object, message: string): void {
    const before = loggedAt.get(topic);
    if (before !== undefined && clock() - before < AGAIN_MS) return;
    loggedAt.set(topic, clock());
    log.warn(fields, message);
  }

  /** Never throws. Logs a fault once until it passes. */
  async function check(): Promise<void> {
    try {
      const ahead = await pointsAhead(db, () => aheadOf(instantOf(clock())));
      const jobs = await policyHealth(db);
      const refresh = await refreshState(db);
      findings = { jobs, ahead, refresh };
      isFailing = false;
      for (const { topic, line, ...ids } of policyWarnings(jobs)) warn(topic, ids, line);
      const more = ahead.count === MOST_AHEAD ? ' or more' : '';
      const many = ahead.count === 1 ? '1 point is' : `${ahead.count}${more} points are`;
      if (ahead.count > 0)
        warn(
          'ahead',
          ahead,
          `${many} dated a minute or more ahead, up to ${ahead.newest}. Set the recorder's clock, and remove them with \`npm run delete\``,
        );
      if (refresh?.state === 'stalled')
        warn(
          'stalled',
          refresh,
          `Nothing has refreshed the rollups since ${refresh.last_refresh}: ${minutesText(refresh.minutes_waiting)} wait to be recounted, and statistics read them point by point. Run \`npm run maintain\` beside the primary, or \`npm run migrate\` with READER_ROLE`,
        );
    } catch (error) {
      findings = undefined;
      if (!isFailing && !isUnreachable(error))
        log.warn(
          { err: error },
          'Cannot check the policies, the rollups and the points dated ahead; retrying every minute',
        );
      isFailing = true;
    }
  }

  const timer = setInterval(check, EVERY_MS).unref();
  return {
    /** The findings of the last check; undefined before the first check, and after a failed one. */
    latest: () => findings,
    check,
    stop: () => clearInterval(timer),
  };
}
