// Finds what recorders keep in DATA_DIR: the folder in which points wait for the database, and the calibrations.
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { isOfDemo, spoolIn } from '../db/data-folder.ts';
import { closeToOthers } from '../db/synced-folders.ts';
import { openSpool, type Spool } from '../recorder/storing/spool/spool.ts';
import type { Config } from './config.ts';

const ADVICE = 'set DATA_DIR to a folder that can be written';
const ELSEWHERE = 'let --spool name a folder that can be written';

/**
 * @param folder another one to empty, of recorders of other users
 * @returns those that the service empties; none on a server, where recorders do, and for the demo's folder
 */
export async function openServiceSpools(config: Config, folder: string | undefined): Promise<Spool[]> {
  const { DATABASE_URL: url, DATA_DIR: dataDir = './data' } = config;
  if (url !== undefined || isOfDemo(dataDir)) return [];
  const spool = await openSpool(spoolIn(dataDir), ADVICE);
  return folder === undefined ? [spool] : [spool, await openSpool(resolve(folder), ELSEWHERE)];
}

/** @param folder in place of that in DATA_DIR */
export function openRecorderSpool(config: Config, folder: string | undefined, log: Logger): Promise<Spool> {
  const { DATABASE_URL: url, DATA_DIR: dataDir = './data' } = config;
  if (folder !== undefined) return openSpool(folder, ELSEWHERE);
  const own = url === undefined ? spoolIn(dataDir) : join(dataDir, 'spool-server');
  closeToOthers(dataDir, (line) => log.warn({}, line));
  return openSpool(own, `${ADVICE}, or name another with --spool`);
}

export function calibrationFileOf({ DATA_DIR: dataDir = './data' }: Config): string {
  return join(dataDir, 'calibration.json');
}
