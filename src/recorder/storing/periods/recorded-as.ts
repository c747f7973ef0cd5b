// What a recorder was told, which goes with its points through the spool to the table.
import { z } from 'zod';
import { Instant } from '../../../contract/instant-schema.ts';
import { unitOf } from '../../../contract/level-unit.ts';
import {
  completed,
  KeptSettings,
  type Period,
  PeriodSettings,
  recordedStatistic,
} from '../../../contract/periods.ts';
import { Corrections, OverloadByMinute } from '../../measured-point.ts';
import type { MeasuringOptions } from '../../measuring-options.ts';

export interface RecordedAs {
  readonly settings: PeriodSettings;
  /** The first point of a live recorder, canonical: its period begins there. Undefined where points tell it. */
  readonly since?: string | undefined;
  /** Whether the user asked for a new period. */
  readonly isNewPeriod: boolean;
}

type Told = Pick<
  MeasuringOptions,
  'weighting' | 'timeWeighting' | 'referenceDb' | 'calibrationDb' | 'intervalMs' | 'channel' | 'isNewPeriod'
>;

/** @param clock how the times of points are set; null if that is not known */
export function recordedAs(told: Told, clock: PeriodSettings['clock'] = null): RecordedAs {
  const { weighting, timeWeighting: time_weighting = null } = told;
  return {
    settings: {
      weighting,
      time_weighting,
      reference_db: told.referenceDb ?? null,
      calibration_db: told.calibrationDb ?? null,
      interval_ms: told.intervalMs,
      channel: String(told.channel),
      statistic: recordedStatistic({ weighting, time_weighting }),
      instrument: null,
      counts_overload: true,
      clock,
    },
    isNewPeriod: told.isNewPeriod,
  };
}

const Head = KeptSettings.extend({
  since: Instant.optional(),
  new_period: z.boolean(),
  /** Of the points of the segment. */
  overload: OverloadByMinute.optional(),
  corrections: Corrections.optional(),
}).transform(completed);

/** What the head of a segment says of its points. */
export interface SegmentHead {
  readonly as: RecordedAs;
  readonly overload?: OverloadByMinute | undefined;
  readonly corrections?: Corrections | undefined;
}

/** A line of a segment before its rows, which begins as no row does. */
export const HEAD = '#';

export function writeHead({ as: { settings, since, isNewPeriod }, ...noted }: SegmentHead): string {
  const head: z.input<typeof Head> = { ...settings, since, new_period: isNewPeriod, ...noted };
  return `${HEAD}${JSON.stringify(head)}\n`;
}

/** @returns undefined where it is not what was written */
export function readHead(line: string): SegmentHead | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line.slice(HEAD.length));
  } catch {
    return undefined;
  }
  const { data } = Head.safeParse(value);
  if (!data) return undefined;
  const { since, new_period: isNewPeriod, overload, corrections, ...settings } = data;
  return { as: { settings, since, isNewPeriod }, overload, corrections };
}

const NAMES = PeriodSettings.keyof().options;

/** Whether two are alike; nothing at all is like a row that says nothing. */
export function isSame(one: PeriodSettings | undefined, other: PeriodSettings | undefined): boolean {
  return NAMES.every((name) => (one?.[name] ?? null) === (other?.[name] ?? null));
}

/** The period that holds at a time. */
export function periodAt(periods: readonly Period[], time: string): Period | undefined {
  return periods.reduce<Period | undefined>(
    (last, period) => (period.since <= time && !(last && last.since > period.since) ? period : last),
    undefined,
  );
}

/** Such as `dB(A) with the reference 85, fast`. */
export function describeLevels(settings: PeriodSettings): string {
  const { weighting, time_weighting, reference_db } = settings;
  const unit = reference_db === null ? `dBFS, weighting ${weighting}` : unitOf(settings);
  const reference = reference_db === null ? '' : ` with the reference ${reference_db}`;
  return `${unit}${reference}${time_weighting === null ? '' : `, ${time_weighting}`}`;
}
