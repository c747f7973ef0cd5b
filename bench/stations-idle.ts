// Measures the cost of idle stations: their refreshes, and the memory of the service.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { openPostgres } from '../src/database/postgres.ts';
import { createApp } from '../src/http/app.ts';
import { startRefreshing } from '../src/rollups/refresh-rollups.ts';
import { createRollups } from '../src/rollups/store.ts';
import { cpuMsOf } from './child.ts';

/** A round has ended once no statement ran for this long, in milliseconds. */
const QUIET_MS = 1000;
const PATIENT = { queryTimeoutMs: 60_000, exportTimeoutMs: 60_000, poolWaitMs: 60_000 };

/** @returns the processor time of this process and the session for one round of all stations, in milliseconds */
export async function refreshRound(url: string): Promise<number> {
  const db = openPostgres({ url, poolSize: 1, ...PATIENT });
  const session = { text: 'select pg_backend_pid() as pid', parameters: [] };
  const [{ pid = 0 } = {}] = await db.query<{ pid: number }>(session);
  const processor = () => cpuMsOf(String(pid)) + cpuMsOf(String(process.pid));
  let queriedAt = performance.now();
  const before = processor();
  const query: typeof db.query = (...args) =>
    db.query(...args).finally(() => {
      queriedAt = performance.now();
    });
  const refreshing = startRefreshing({ ...db, query }, pino(pino.destination(2)));
  while (performance.now() - queriedAt < QUIET_MS) await sleep(50);
  const used = processor() - before;
  await refreshing.stop();
  await db.close();
  return used;
}

/** @returns the heap of a station that was opened and queried, in bytes */
export async function idleBytes(url: string, names: readonly string[]): Promise<number> {
  setFlagsFromString('--expose-gc');
  const db = openPostgres({ url, ...PATIENT });
  const app = await createApp({
    db,
    rollups: createRollups(db),
    version: 'bench',
    limits: { maxEventLoopDelayMs: 0 },
  });
  async function heapAfter(queried: readonly string[]): Promise<number> {
    for (const name of queried) await app.inject(`/stations/${name}/api/v1/audio/latest?limit=1`);
    runInNewContext('gc')();
    return process.memoryUsage().heapUsed;
  }
  const warm = Math.ceil(names.length / 10);
  const before = await heapAfter(names.slice(0, warm));
  const bytes = (await heapAfter(names.slice(warm))) - before;
  await app.close();
  await db.close();
  return bytes / (names.length - warm);
}
