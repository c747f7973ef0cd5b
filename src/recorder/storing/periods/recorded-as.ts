// The settings of a recorder, which travel with its points through the spool to the table if their levels compare.
import { z } from 'zod';
import { unitOf } from '../../../contract/level-unit.ts';
import { Instant } from '../../../contract/parameters.ts';
import {
  doLevelsCompare,
  isKnown,
  type Period,
  PeriodSettings,
  recordedStatistic,
} from '../../../contract/periods.ts';
import { OverloadByMinute } from '../../../database/store-overload.ts';
import { AppError } from '../../../errors.ts';
import type { MeasuringOptions } from '../../measuring-options.ts';

export interface RecordedAs {
  readonly settings: PeriodSettings;
  /** The start of a live recorder's period, canonical. Undefined to take it from the points. */
  readonly since?: string | undefined;
  readonly isNewPeriod: boolean;
}

/** @param clock the source of the points' times; null if unknown */
export function recordedAs(
  options: Omit<MeasuringOptions, 'silenceDb'>,
  clock: PeriodSettings['clock'] = null,
): RecordedAs {
  const { weighting, timeWeighting: time_weighting = null } = options;
  return {
    settings: {
      weighting,
      time_weighting,
      reference_db: options.referenceDb ?? null,
      calibration_db: options.calibrationDb ?? null,
      interval_ms: options.intervalMs,
      channel: String(options.channel),
      statistic: recordedStatistic({ weighting, time_weighting }),
      instrument: null,
      counts_overload: true,
      clock,
    },
    isNewPeriod: options.isNewPeriod,
  };
}

const Head = PeriodSettings.extend({
  since: Instant.optional(),
  new_period: z.boolean(),
  /** By minute, for the points of the segment. */
  overload: OverloadByMinute.optional(),
});

export interface SegmentHead {
  readonly as: RecordedAs;
  readonly overload?: OverloadByMinute | undefined;
}

/** Begins the head line of a segment. No row begins with it. */
export const HEAD = '#';

export function writeHead({ as: { settings, since, isNewPeriod }, ...noted }: SegmentHead): string {
  const head: z.input<typeof Head> = { ...settings, since, new_period: isNewPeriod, ...noted };
  return `${HEAD}${JSON.stringify(head)}\n`;
}

/** @returns undefined if the line is damaged, or of an older version */
export function readHead(line: string): SegmentHead | undefined {
  try {
    const head = Head.parse(JSON.parse(line.slice(HEAD.length)));
    const { since, new_period: isNewPeriod, overload, ...settings } = head;
    return { as: { settings, since, isNewPeriod }, overload };
  } catch {
    return undefined;
  }
}

const NAMES = PeriodSettings.keyof().options;

/** Whether two settings are equal. Missing settings equal a row without values. */
export const isSame = (one: PeriodSettings | undefined, other: PeriodSettings | undefined): boolean =>
  NAMES.every((name) => (one?.[name] ?? null) === (other?.[name] ?? null));

export const periodAt = (periods: readonly Period[], time: string): Period | undefined =>
  periods.reduce<Period | undefined>(
    (last, period) => (period.since <= time && !(last && last.since > period.since) ? period : last),
    undefined,
  );

/** Such as `dB(A) with the reference 85, fast`. */
export function describeLevels(settings: PeriodSettings): string {
  const { weighting, time_weighting, reference_db } = settings;
  const unit = reference_db === null ? `dBFS, weighting ${weighting}` : unitOf(settings);
  const reference = reference_db === null ? '' : ` with the reference ${reference_db}`;
  return `${unit}${reference}${time_weighting === null ? '' : `, ${time_weighting}`}`;
}

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
