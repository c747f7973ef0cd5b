// Maintains the rollups and the retention of a server, for services that may not write.
import { compile, sql } from '../database/drizzle.ts';
import { STANDBY } from '../database/faults.ts';
import { reportOutages } from '../database/report-outages.ts';
import { startLoop } from '../loop.ts';
import { startRefreshing } from '../rollups/refresh-rollups.ts';
import { untilAborted } from '../signal.ts';
import { ownerUrl } from './config.ts';
import type { Environment } from './environment.ts';
import { openDatabase } from './open-database.ts';

const STANDBY_CHECK_MS = 60_000;
const IS_STANDBY = compile(sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`);

/** Refreshes rollups and removes old points until a signal. Several may run, but only one at a time works. */
export async function maintainServer({ config, log, ended }: Environment): Promise<void> {
  const url = ownerUrl(
    config,
    'DATABASE_URL must name the server. The embedded database needs no `maintain`: the service maintains it',
  );
  const signal = ended();
  const opened = await openDatabase({ ...config, DATABASE_URL: url }, log);
  const db = reportOutages(opened, log, 'The database cannot be reached; retrying every minute');
  const refreshing = startRefreshing(db, log);
  let wasStandby: boolean | undefined;
  const watching = startLoop(
    async () => {
      const [{ standby } = { standby: false }] = await db.query(IS_STANDBY);
      if (standby && !wasStandby) log.warn({}, `${STANDBY}. Until then there is nothing to do`);
      if (!standby && wasStandby !== false)
        log.info({}, 'Refreshing rollups and removing old points once a minute');
      wasStandby = standby;
      return STANDBY_CHECK_MS;
    },
    () => STANDBY_CHECK_MS,
  );
  await untilAborted(signal);
  await watching.stop();
  await refreshing.stop();
  await db.close();
}
