// Finds the recorders' files in DATA_DIR: the spools, and the calibrations.
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { DEFAULT_STATION } from '../contract/station.ts';
import { isOfDemo, spoolIn } from '../database/data-folder.ts';
import { closeToOthers } from '../database/synced-folders.ts';
import { openSpool, type Spool } from '../recorder/storing/spool/spool.ts';
import { stationSpool } from '../recorder/storing/spool/station-spools.ts';
import { type Config, dataDirOf } from './config.ts';

const ADVICE = 'set DATA_DIR to a writable folder';
const ELSEWHERE = 'set --spool to a writable folder';

/**
 * @param folder one more spool to empty, such as that of another user's recorder
 * @returns the default station's spools. Their folders hold the spools of other stations. None for the demo, or on a
 * server, because recorders empty their own spools there
 */
export async function openServiceSpools(config: Config, folder: string | undefined): Promise<Spool[]> {
  const dataDir = dataDirOf(config);
  if (config.DATABASE_URL !== undefined || isOfDemo(dataDir)) return [];
  const spool = await openSpool(spoolIn(dataDir), ADVICE);
  return folder === undefined ? [spool] : [spool, await openSpool(resolve(folder), ELSEWHERE)];
}

/** @param folder replaces the folder in DATA_DIR */
export function openRecorderSpool(
  config: Config,
  folder: string | undefined,
  station: string,
  log: Logger,
): Promise<Spool> {
  if (folder !== undefined) return openSpool(stationSpool(folder, station), ELSEWHERE);
  closeToOthers(dataDirOf(config), (line) => log.warn({}, line));
  return openSpool(spoolOf(config, station), `${ADVICE}, or choose one with --spool`);
}

/** The default spool folder of a station's recorders. */
export function spoolOf(config: Config, station: string): string {
  const dataDir = dataDirOf(config);
  const own = config.DATABASE_URL === undefined ? spoolIn(dataDir) : join(dataDir, 'spool-server');
  return stationSpool(own, station);
}

export const calibrationFileOf = (config: Config, station: string) =>
  join(dataDirOf(config), station === DEFAULT_STATION ? 'calibration.json' : `calibration-${station}.json`);
