// Publishes the database's recent periods in a file of the spool, for recorders that cannot reach the database.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { MOST_PERIODS, Period } from '../../../contract/periods.ts';
import type { Database } from '../../../database/database.ts';
import { newestPeriodsOfPoints } from '../../../database/periods.ts';
import { replaceSynced } from '../../../database/synced-folders.ts';
import type { Spool } from '../spool/spool.ts';

/** How long a server may take to return the periods. */
const PATIENCE_MS = 2000;

const pathIn = ({ folder }: Spool) => join(folder, 'periods.json');
const readText = (spool: Spool) => readFile(pathIn(spool), 'utf8').catch(() => '');

export async function publishPeriods(spool: Spool, periods: readonly Period[]): Promise<void> {
  const text = `${JSON.stringify(periods)}\n`;
  if (text !== (await readText(spool))) await replaceSynced(pathIn(spool), text);
}

export async function publishNewest(spool: Spool, db: Database): Promise<void> {
  await publishPeriods(spool, await newestPeriodsOfPoints(db, MOST_PERIODS));
}

/** The last published periods; none if the file is damaged. */
export async function publishedPeriods(spool: Spool): Promise<Period[]> {
  try {
    return z.array(Period).parse(JSON.parse(await readText(spool)));
  } catch {
    return [];
  }
}

/** @returns the database's periods; the last published ones if it is away or not open yet */
export async function latestPeriods(spool: Spool, db: Database | undefined): Promise<readonly Period[]> {
  const fromDatabase = db && newestPeriodsOfPoints(db, MOST_PERIODS, AbortSignal.timeout(PATIENCE_MS));
  return (await fromDatabase?.catch(() => undefined)) ?? publishedPeriods(spool);
}
