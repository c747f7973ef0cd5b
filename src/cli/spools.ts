// Finds what recorders keep in DATA_DIR: the folder in which points wait for the database, and the calibrations.
import { join } from 'node:path';
import { isOfDemo, spoolIn } from '../db/data-folder.ts';
import { openSpool, type Spool } from '../recorder/spool/spool.ts';
import type { Config } from './config.ts';

const ADVICE = 'set DATA_DIR to a folder that can be written';

/** @returns the one that the service empties; undefined on a server, where recorders do, and for the demo's folder */
export async function openServiceSpool(config: Config): Promise<Spool | undefined> {
  const { DATABASE_URL: url, DATA_DIR: dataDir = './data' } = config;
  if (url !== undefined || isOfDemo(dataDir)) return undefined;
  return openSpool(spoolIn(dataDir), ADVICE);
}

/** @param folder in place of that in DATA_DIR, with a server */
export function openRecorderSpool(config: Config, folder: string | undefined): Promise<Spool> {
  const { DATABASE_URL: url, DATA_DIR: dataDir = './data' } = config;
  if (url === undefined) return openSpool(spoolIn(dataDir), ADVICE);
  return openSpool(folder ?? join(dataDir, 'spool-server'), `${ADVICE}, or name another with --spool`);
}

export function calibrationFileOf({ DATA_DIR: dataDir = './data' }: Config): string {
  return join(dataDir, 'calibration.json');
}
