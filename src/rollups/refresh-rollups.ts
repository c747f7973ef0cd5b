// Keeps the rollups (drizzle/0003) up to date. A refresh that is hours late makes answers slower, never wrong.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, type Log, logOf, type RunStatement } from '../database/database.ts';
import { compile, parameter, queriesOf, sql } from '../database/drizzle.ts';
import { ANALYSE, analyseGrownTables } from '../database/embedded/analyse-tables.ts';
import { isUnreachable } from '../database/faults.ts';
import { inSchema } from '../database/in-schema.ts';
import { stationSchema, tables } from '../database/schema.ts';
import { type ListedStation, listStations } from '../database/station-schemas.ts';
import { startLoop } from '../loop.ts';
import { removeOldPoints } from './raw-retention.ts';
import { isMany, mayRefresh, minutesText, readBacklog } from './rollup-backlog.ts';

const EVERY_MS = 60_000;
/** The wait after a first failure, which the log does not report. */
const AGAIN_MS = 5000;

/** Few enough not to block others for long. But a step counts at least one half hour: 18,000 points at 10 Hz. */
const POINTS_A_REFRESH = 9000;

/** The pause between two steps, in which an embedded database serves waiting queries: it has only one session. */
const PAUSE_MS = 25;

const REFRESH = compile(sql<{ stored: number | null }>`
  select ${stationSchema}.audio_data_refresh(${parameter('points')}::int) as stored from ${tables.refreshes}`);

/**
 * Stores all changes since the last refresh.
 *
 * @param pointsAStep roughly how many points a statement counts: 9,000 take less than a tenth of a second
 * @param onStep called after each statement that stored something
 * @returns the number of these statements; 0 on a standby, or while another process refreshes
 */
export async function refreshRollups(
  run: RunStatement,
  pointsAStep: number,
  onStep?: () => void | Promise<void>,
): Promise<number> {
  for (let steps = 0; ; steps++) {
    const [row] = await queriesOf(run).query(REFRESH, { points: pointsAStep });
    if (!row?.stored) return steps;
    await onStep?.();
  }
}

/** Runs the statements of a refresh, without a time limit if the database allows that. */
export function runOn(db: Database): RunStatement {
  if (db.run) return db.run;
  return (text, values = []) => {
    const named = Object.fromEntries(values.entries());
    return db.query({ text, parameters: Object.keys(named) }, named);
  };
}

/** Stores all changes in small steps, with pauses in which others may read. @throws the signal's reason */
export async function refreshInSteps(
  db: Database,
  signal?: AbortSignal,
  onStep?: () => void | Promise<void>,
): Promise<void> {
  await refreshRollups(runOn(db), POINTS_A_REFRESH, async () => {
    if (db.run) await sleep(PAUSE_MS);
    signal?.throwIfAborted();
    await onStep?.();
  });
}

function createMaintainer(db: Database, log: Log, mayRemove: () => boolean) {
  const run = runOn(db);
  let isWaiting = false;
  let removedAt = performance.now();
  async function refresh(signal: AbortSignal): Promise<void> {
    const { minutes = 0, oldest: from = null } = (await readBacklog(db)) ?? {};
    const began = performance.now();
    let steps = 0;
    await refreshInSteps(db, signal, () => {
      steps += 1;
      if (steps === 1 && isMany(minutes))
        log.info({ minutes, from }, `The rollups are catching up: ${minutesText(minutes)} to recount`);
    });
    if (steps === 0 || !isMany(minutes)) return;
    await db.run?.(compile(sql`vacuum full ${tables.notes}`).text, []); // notes of old points take as much space as the points
    const seconds = (performance.now() - began) / 1000;
    log.info(
      { minutes, seconds },
      `The rollups have caught up: ${minutesText(minutes)} recounted in ${seconds.toFixed(1)} s`,
    );
  }
  async function removeOld(signal: AbortSignal): Promise<void> {
    const ranSeconds = (performance.now() - removedAt) / 1000;
    removedAt = performance.now();
    const { steps, isLate } = await removeOldPoints(run, ranSeconds, () => !signal.aborted && mayRemove());
    if (isLate && !isWaiting)
      log.warn(
        {},
        'More than two days of points have expired since the last removal, so their removal waits for a day. Check the clock of the database; `npm run delete` removes points at once',
      );
    isWaiting = isLate;
    if (steps === 0 || signal.aborted) return;
    log.info({}, 'Removed points older than RAW_RETENTION');
    for (const tidying of ['vacuum', ANALYSE]) await db.run?.(tidying, []); // a server vacuums by itself
  }
  return async (signal: AbortSignal): Promise<void> => {
    if (await mayRefresh(db)) {
      await refresh(signal);
      await removeOld(signal);
    }
    if (db.run && !signal.aborted) await analyseGrownTables(db.run);
  };
}

/** Refreshes all stations now and every minute. Logs a station's fault once. The caller reports a lost database. */
export function startRefreshing(db: Database, log: Log) {
  let keepers = 0;
  const mayRemove = () => keepers === 0;
  const maintain = createMaintainer(db, log, mayRemove);
  const others = new Map<number, ReturnType<typeof createMaintainer>>();
  const failing = new Set<number>();
  let servers: ReadonlyMap<number, string | undefined> = new Map();

  async function maintainOther({ name, id }: ListedStation, signal: AbortSignal): Promise<void> {
    try {
      const missing = () => new Error('It was removed, or is not migrated');
      const station = inSchema(db, name, missing, () => servers.get(id));
      const maintain = others.get(id) ?? createMaintainer(station, logOf(log, name), mayRemove);
      others.set(id, maintain);
      await maintain(signal);
      failing.delete(id);
    } catch (err) {
      if (!signal.aborted && !failing.has(id) && !isUnreachable(err))
        log.warn({ err }, `Cannot refresh the rollups of ${name}; retrying every minute`);
      failing.add(id);
    }
  }

  async function maintainAll(signal: AbortSignal): Promise<number> {
    await maintain(signal);
    const stations = await listStations(db);
    servers = new Map(stations.map(({ id, server }) => [id, server]));
    for (const id of others.keys()) if (!servers.has(id)) others.delete(id);
    for (const station of stations) if (!signal.aborted) await maintainOther(station, signal);
    return EVERY_MS;
  }
  const { stop } = startLoop(maintainAll, (err, failures) => {
    if (failures === 1) return AGAIN_MS; // a busy machine may not connect in time at the start
    if (failures === 2 && !isUnreachable(err))
      log.warn(
        { err },
        'Cannot refresh the rollups; retrying every minute. Until a refresh succeeds, statistics are slower and old points stay',
      );
    return EVERY_MS;
  });
  return {
    /** Pauses the removal of points until the returned function is called. */
    keepOld() {
      keepers++;
      return () => void keepers--;
    },
    stop,
  };
}
