// Refuses a recorder whose levels cannot be compared with the stored ones.
import { doLevelsCompare, isKnown, type Period } from '../../../contract/periods.ts';
import { AppError } from '../../../errors.ts';
import { periodAt, type RecordedAs } from './recorded-as.ts';

/**
 * Accepts any levels if the settings of the stored points are unknown.
 *
 * @param start the time of the first point, canonical
 * @param end the end of the last point, if known
 * @throws AppError BAD_REQUEST with each difference
 */
export function assertLevelsCompare(
  { settings, isNewPeriod }: RecordedAs,
  periods: readonly Period[],
  start: string,
  end = start,
): void {
  const within = periods.filter(({ since }) => since > start && since < end);
  // skips periods with unknown settings, such as an older file's
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
      : [`${flag}: ${ours ?? 'none'}, but the points since ${other.since} have ${theirs ?? 'none'}`],
  );
  throw new AppError(
    'BAD_REQUEST',
    [
      ...differences,
      'Levels would not compare: record with the earlier settings, or begin a new period with --new-period',
    ].join('\n'),
  );
}
