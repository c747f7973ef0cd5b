// Refuses a recorder whose levels do not compare with those of the table.
import { doLevelsCompare, isKnown, type Period } from '../../../contract/periods.ts';
import { AppError } from '../../../errors.ts';
import { periodAt, type RecordedAs } from './recorded-as.ts';

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
    ['statistic', settings.statistic, other.statistic ?? settings.statistic],
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
