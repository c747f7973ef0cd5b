// Notes how points were recorded, in the transaction that stores them, and publishes it beside the spool.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { instantOfMicros, LAST_MICROS, microsOf } from '../../../contract/instant.ts';
import {
  doLevelsCompare,
  isKnown,
  MOST_PERIODS,
  Period,
  type PeriodSettings,
  UNKNOWN,
} from '../../../contract/periods.ts';
import type { Database, Queries } from '../../../database/database.ts';
import { compile, parameter, sql } from '../../../database/drizzle.ts';
import {
  allPeriods,
  newestPeriodsOfPoints,
  periodInForce,
  putPeriod,
  removePeriod,
} from '../../../database/periods.ts';
import { tables } from '../../../database/schema.ts';
import { isMissing } from '../../../database/station-schemas.ts';
import { replaceSynced } from '../../../database/synced-folders.ts';
import type { Spool } from '../spool/spool.ts';
import { describeLevels, isSame, periodAt, type RecordedAs } from './recorded-as.ts';

interface RecordedStretch {
  readonly as: RecordedAs;
  /** The earliest and the latest of their times, canonical. */
  readonly first: string;
  readonly last: string;
}

/** Live recorders with different settings alternate at most once a minute, so that not every batch begins a period. */
const ALTERNATE_EVERY = 60_000_000n;
const LOCK = compile(sql`lock table ${tables.periods} in share row exclusive mode`);
const HAS_POINTS = compile(sql<{ found: boolean }>`
  select exists (
    select from ${tables.points}
    where time >= ${parameter('from')}::timestamptz and time < ${parameter('to')}::timestamptz
  ) as found`);

/**
 * Begins a period at the first point of each group, unless the period in force there is equal. If points follow the
 * group, the period that was in force at its end resumes after it.
 */
export async function notePeriods(transaction: Queries, stretches: readonly RecordedStretch[]) {
  const parts = stretches.map(partOf).sort((a, b) => (a.first < b.first ? -1 : 1));
  const [only] = parts;
  if (!only) return { isChanged: false, warnings: [] };
  const now = parts.length > 1 ? undefined : await periodInForce(transaction, only.end);
  if (now && now.since <= only.first && isSame(now, only.as.settings))
    return { isChanged: false, warnings: [] };

  await transaction.query(LOCK);
  const table = await openPeriods(transaction);
  const held = parts.map(({ end }) => table.at(end));
  const warnings: string[] = [];
  for (const [index, { as, first, start, end }] of parts.entries()) {
    const { settings, isNewPeriod } = as;
    const before = table.at(start);
    // an empty period, begun to resume earlier settings; these points replace it
    for (let last = table.at(first); last && !isSame(last, settings); last = table.at(first)) {
      if (await table.hasPoints(last.since, first)) break;
      await table.remove(last);
    }
    // another recorder has ended this live recorder's period, so it begins a new one
    const begin = isSame(table.at(start), settings) ? first : start;
    const holds = table.at(begin);
    const mayBegin = begin === start || !holds || microsOf(begin) - microsOf(holds.since) >= ALTERNATE_EVERY;
    if (!isSame(holds, settings) && mayBegin) {
      await table.put(begin, settings);
      const last = begin === start ? before : holds;
      if (!isNewPeriod && isKnown(last) && !doLevelsCompare(last, settings))
        warnings.push(
          `Warning: a new period begins at ${begin}: ${describeLevels(settings)}, after ${describeLevels(last)}.`,
        );
    }
    const after = held[index];
    // other groups of this batch note their own settings, even if they began before this group's end
    const next = parts.find(({ end: later }) => later > end)?.first;
    if (!isSame(table.at(end), after) && (await table.hasPoints(end, next ?? 'infinity')))
      await table.put(end, after ?? UNKNOWN);
  }
  return { isChanged: table.isChanged(), warnings };
}

/** Adds the period's latest possible start (the clock may have been set back) and the end of the last window. */
function partOf({ as, first, last }: RecordedStretch) {
  // includes the last point even if its window is very short
  const end = microsOf(last) + (BigInt(as.settings.interval_ms ?? 0) * 1000n || 1n);
  return {
    as,
    first,
    start: as.since !== undefined && as.since < first ? as.since : first,
    end: instantOfMicros(end < LAST_MICROS ? end : LAST_MICROS),
  };
}

async function openPeriods(queries: Queries) {
  let periods = await allPeriods(queries);
  let isChanged = false;
  return {
    isChanged: () => isChanged,
    at: (time: string) => periodAt(periods, time),
    async put(since: string, settings: PeriodSettings): Promise<void> {
      isChanged = true;
      await putPeriod(queries, { ...settings, since });
      periods = await allPeriods(queries);
    },
    async remove({ since }: Period): Promise<void> {
      isChanged = true;
      await removePeriod(queries, since);
      periods = periods.filter((period) => period.since !== since);
    },
    async hasPoints(from: string, to: string): Promise<boolean> {
      const [row] = await queries.query(HAS_POINTS, { from, to });
      return row?.found === true;
    },
  };
}

/** How long a server may take to return the periods. */
const PATIENCE_MS = 2000;

type Published = Pick<Spool, 'folder'>;
const pathIn = ({ folder }: Published) => join(folder, 'periods.json');
const readText = (spool: Published) => readFile(pathIn(spool), 'utf8').catch(() => '');

/**
 * Publishes the database's recent periods in a file of the spool, for recorders that cannot reach the database.
 *
 * @param periods null if the station was removed
 */
export async function publishPeriods(spool: Published, periods: readonly Period[] | null): Promise<void> {
  const text = `${JSON.stringify(periods)}\n`;
  if (text !== (await readText(spool))) await replaceSynced(pathIn(spool), text);
}

/** Whether the station was removed, as far as the spool knows. */
export const isRemoved = async (spool: Published) => (await readText(spool)) === 'null\n';

/** @throws AppError NOT_FOUND, once published, if the station was removed */
export async function publishNewest(spool: Spool, db: Database): Promise<void> {
  const newest = newestPeriodsOfPoints(db, MOST_PERIODS).catch(async (error) => {
    if (isMissing(error)) await publishPeriods(spool, null);
    throw error;
  });
  await publishPeriods(spool, await newest);
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
