// Opens the configured database for `backup` and `restore`, if need be through the service that holds it.
import { existsSync, readdirSync } from 'node:fs';
import type { BackupIo } from '../backup/backup-command.ts';
import type { RestoreIo } from '../backup/restore-command.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { isOfDemo } from '../database/data-folder.ts';
import { analyseGrownTables } from '../database/embedded/analyse-tables.ts';
import { readSegmentName } from '../recorder/storing/spool/spool.ts';
import { refreshInSteps } from '../rollups/refresh-rollups.ts';
import { openForCommand } from './command-database.ts';
import { dataDirOf, ownerUrl } from './config.ts';
import type { Environment } from './environment.ts';
import { makeStation } from './make-station.ts';
import { migrate } from './migrate.ts';
import { spoolOf } from './open-database.ts';
import { hidingVariables, openStation, withValue } from './station-site.ts';

/** @param waitMs how long to wait while another process holds the folder */
export function backupIo(environment: Environment, station: string, waitMs?: number): BackupIo {
  const { config, terminal } = environment;
  const isDemo = config.DATABASE_URL === undefined && isOfDemo(dataDirOf(config));
  const open = () => openForCommand(environment, { mustExist: true, isPatient: true, waitMs });
  return {
    station,
    at: (other) => backupIo(environment, other, waitMs),
    open: () => openStation(open, station),
    // a folder of the demo has no spool
    waiting: () => (isDemo ? undefined : waitingIn(spoolOf(config, station))),
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

export function restoreIo(environment: Environment, station: string, waitMs?: number): RestoreIo {
  const { config, log, terminal } = environment;
  const isDefault = station === DEFAULT_STATION;
  const isEmbedded = config.DATABASE_URL === undefined;
  const whole = isEmbedded ? `The folder ${dataDirOf(config)}` : 'The database';
  const open = () =>
    openForCommand(environment, { points: 'measured', asOwner: true, isPatient: true, waitMs });
  return {
    station,
    at: (other) => restoreIo(environment, other, waitMs),
    name: isDefault ? whole : `The station ${station}`,
    open: () => openStation(open, station, () => makeStation(environment, station)),
    async storeRollups(db, signal) {
      if (!db.run) {
        const of = isDefault ? undefined : { name: station };
        return migrate({ url: ownerUrl(config, ''), station: of, log });
      }
      await refreshInSteps(db, signal);
      await analyseGrownTables(db.run);
    },
    hiding: (settings) => (isDefault ? hidingVariables(config, withValue(settings)) : []),
    retention: isDefault ? config.RAW_RETENTION : undefined,
    stdin: process.stdin,
    progress: terminal.say,
    signal: environment.ended(),
  };
}
