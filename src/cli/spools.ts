// Finds what recorders keep in DATA_DIR: the folders in which points wait for the database, and the calibrations.
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { DEFAULT_STATION } from '../contract/station.ts';
import { isOfDemo, spoolIn } from '../db/data-folder.ts';
import { closeToOthers } from '../db/synced-folders.ts';
import { openSpool, type Spool } from '../recorder/storing/spool/spool.ts';
import { stationSpool } from '../recorder/storing/spool/station-spools.ts';
import { type Config, dataDirOf } from './config.ts';

const ADVICE = 'set DATA_DIR to a folder that can be written';
const ELSEWHERE = 'let --spool name a folder that can be written';

/**
 * @param folder another one to empty, of recorders of other users
 * @returns those of the default station that the service empties, in which are those of others; none on a server, where
 * recorders do, and for the demo's folder
 */
export async function openServiceSpools(config: Config, folder: string | undefined): Promise<Spool[]> {
  const dataDir = dataDirOf(config);
  if (config.DATABASE_URL !== undefined || isOfDemo(dataDir)) return [];
  const spool = await openSpool(spoolIn(dataDir), ADVICE);
  return folder === undefined ? [spool] : [spool, await openSpool(resolve(folder), ELSEWHERE)];
}

/** @param folder in place of that in DATA_DIR */
export function openRecorderSpool(
  config: Config,
  folder: string | undefined,
  station: string,
  log: Logger,
): Promise<Spool> {
  if (folder !== undefined) return openSpool(stationSpool(folder, station), ELSEWHERE);
  closeToOthers(dataDirOf(config), (line) => log.warn({}, line));
  return openSpool(spoolOf(config, station), `${ADVICE}, or name another with --spool`);
}

/** The default folder of the recorders of a station. */
export function spoolOf(config: Config, station: string): string {
  const dataDir = dataDirOf(config);
  const own = config.DATABASE_URL === undefined ? spoolIn(dataDir) : join(dataDir, 'spool-server');
  return stationSpool(own, station);
}

export const calibrationFileOf = (config: Config, station: string) =>
  join(dataDirOf(config), station === DEFAULT_STATION ? 'calibration.json' : `calibration-${station}.json`);
