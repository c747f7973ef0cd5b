// Opens the configured database for `backup` and `restore`, if need be through the service that holds it.
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { BackupIo } from '../backup/backup-command.ts';
import type { RestoreIo, RestoreTarget } from '../backup/restore-command.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { closedOnFault, type Database } from '../db/database.ts';
import { analyseGrownTables } from '../db/embedded/analyse-tables.ts';
import { readSegmentName } from '../recorder/storing/spool/spool.ts';
import { setRawRetention } from '../store/raw-retention.ts';
import { POINTS_A_REFRESH, refreshRollups, runOn } from '../store/refresh-rollups.ts';
import { assertFolder, openFolder } from './command-database.ts';
import { type Config, dataDirOf } from './config.ts';
import type { Environment } from './environment.ts';
import { makeStationForCommand } from './make-station-for-command.ts';
import { type MigrateSettings, migrate, NO_LOG } from './migrate.ts';
import { openDatabase } from './open-database.ts';
import { LOCK_WAIT_MS } from './recording.ts';
import { spoolOf } from './spools.ts';
import { openStation } from './station-database.ts';
import { hidingVariables, withValue } from './station-site.ts';

const DAY_MS = 86_400_000;
/** Enough time for one statement that reads or stores all points. */
const PATIENT = { POOL_SIZE: 1, QUERY_TIMEOUT_MS: DAY_MS, EXPORT_TIMEOUT_MS: DAY_MS };
/** Lets a service answer waiting requests between two steps. */
const PAUSE_MS = 25;

/** @param waitMs how long to wait while another process holds the folder */
export function backupIo(environment: Environment, station: string, waitMs = LOCK_WAIT_MS): BackupIo {
  const { config, log, terminal } = environment;
  async function openWhole() {
    if (config.DATABASE_URL !== undefined) return openServer(config, log);
    assertFolder(config);
    return openFolder(environment, { waitMs });
  }
  return {
    station,
    at: (other) => backupIo(environment, other, waitMs),
    open: () => openStation(openWhole, station),
    waiting: () => waitingIn(spoolOf(config, station)),
    stdout: process.stdout,
    progress: terminal.say,
    signal: environment.ended(),
  };
}

/** @returns a line about the points that wait in a spool; undefined if none do */
function waitingIn(spool: string): string | undefined {
  if (!existsSync(spool)) return undefined;
  const segments = readdirSync(spool).flatMap((name) => readSegmentName(name) ?? []);
  if (segments.length === 0) return undefined;
  const points = segments.reduce((sum, segment) => sum + segment.points, 0);
  return `${points.toLocaleString('en')} points still wait in ${spool}. The backup lacks points that were not yet stored when it began.`;
}

async function openServer(config: Config, log: Logger): Promise<Database> {
  const db = await openDatabase({ ...config, ...PATIENT }, log, { poolWaitMs: 10_000 });
  await closedOnFault(db.ready(), db);
  return db;
}

/** @param waitMs how long to wait while another process holds the folder */
export function restoreIo(environment: Environment, station: string, waitMs = LOCK_WAIT_MS): RestoreIo {
  const { config, log, terminal } = environment;
  const { MIGRATION_DATABASE_URL, DATABASE_URL } = config;
  const url = DATABASE_URL && (MIGRATION_DATABASE_URL ?? DATABASE_URL);
  const isDefault = station === DEFAULT_STATION;
  const openWhole = () =>
    url === undefined
      ? openFolder(environment, { points: 'measured', waitMs })
      : openServer({ ...config, DATABASE_URL: url }, log);
  const whole = url === undefined ? `The folder ${dataDirOf(config)}` : 'The database';
  return {
    station,
    at: (other) => restoreIo(environment, other, waitMs),
    async open() {
      const db = await openStation(openWhole, station, () => makeStationForCommand(environment, station));
      const of = isDefault ? undefined : { name: station };
      const keeping = url === undefined ? ofFolder(db) : ofServer({ url, station: of }, log);
      return { name: isDefault ? whole : `The station ${station}`, db, ...keeping };
    },
    hiding: (settings) => (isDefault ? hidingVariables(config, withValue(settings)) : []),
    retention: isDefault ? config.RAW_RETENTION : undefined,
    stdin: process.stdin,
    progress: terminal.say,
    signal: environment.ended(),
  };
}

type Keeping = Pick<RestoreTarget, 'keepFor' | 'storeRollups'>;

function ofFolder(db: Database): Keeping {
  const run = runOn(db);
  return {
    keepFor: (retention) => setRawRetention(run, retention, NO_LOG),
    async storeRollups(signal) {
      await refreshRollups(run, POINTS_A_REFRESH, async () => {
        await sleep(PAUSE_MS);
        signal.throwIfAborted();
      });
      await analyseGrownTables(run);
    },
  };
}

const ofServer = (of: Pick<MigrateSettings, 'url' | 'station'>, log: Logger): Keeping => ({
  keepFor: (rawRetention) => migrate({ ...of, rawRetention }),
  storeRollups: () => migrate({ ...of, log }),
});
