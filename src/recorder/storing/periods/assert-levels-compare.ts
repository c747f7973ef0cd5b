// Refuses a recorder whose levels do not compare with those of the table.
import { doLevelsCompare, isKnown, MOST_PERIODS, type Period } from '../../../contract/periods.ts';
import type { Database } from '../../../db/database.ts';
import { newestPeriods } from '../../../db/periods.ts';
import { AppError } from '../../../errors.ts';
import type { Spool } from '../spool/spool.ts';
import { periodAt, type RecordedAs } from './recorded-as.ts';

/** How long a server may take to tell them. */
const PATIENCE_MS = 2000;

/** @returns what the server says; where that is away, what it said last, which is in the spool */
export async function askForPeriods(db: Database, spool: Spool): Promise<readonly Period[]> {
  try {
    return await newestPeriods(db, MOST_PERIODS, AbortSignal.timeout(PATIENCE_MS));
  } catch {
    return spool.periods();
  }
}

/**
 * Points of which nothing is known refuse nothing.
 *
 * @param start the time of the first point, canonical
 * @param end when the last one ends, if that is known
 * @throws AppError BAD_REQUEST that names each difference
 */
export function assertLevelsCompare(
  { settings, isNewPeriod }: RecordedAs,
  periods: readonly Period[],
  start: string,
  end = start,
): void {
  const within = periods.filter(({ since }) => since > start && since < end);
  // the last one known: behind a file that was stored before later points nothing is known again
  const before = periodAt(periods.filter(isKnown), start);
  const other = [before, ...within].find((period) => isKnown(period) && !doLevelsCompare(settings, period));
  if (isNewPeriod || !other) return;
  const differences = [
    ['--weighting', settings.weighting, other.weighting],
    ['--time-weighting', settings.time_weighting, other.time_weighting],
    ['--reference-db', settings.reference_db, other.reference_db],
  ].flatMap(([flag, ours, theirs]) =>
    ours === theirs
      ? []
      : [`${flag}: ${ours ?? 'none'}, and the points since ${other.since} have ${theirs ?? 'none'}`],
  );
  throw new AppError(
    'BAD_REQUEST',
    [
      ...differences,
      'Levels would not compare: record as before, or begin a new period with --new-period',
    ].join('\n'),
  );
}
