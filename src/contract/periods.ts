// Recording periods: the settings with which points were recorded, and the unit of their levels.
import { z } from 'zod';
import { bool, figure, instant, number, textOrNull } from './fields.ts';
import { FLOOR_DB, UNITS } from './level-unit.ts';
import { Instant, meaningsOf, nameIn } from './parameters.ts';

export const Unit = z.enum(UNITS);
export type Unit = z.infer<typeof Unit>;

/** How points were recorded; null if unknown. */
export const PeriodSettings = z.object({
  weighting: z.enum(['A', 'C', 'Z']).nullable().meta({
    description:
      'The frequency weighting of the levels (IEC 61672-1): `A`, `C`, or `Z` (unweighted). With `Z`, levels include DC and everything below 10 Hz. Null if unknown',
  }),
  time_weighting: z.enum(['fast', 'slow']).nullable().meta({
    description: 'The time weighting of the levels (IEC 61672-1); null for levels without one',
  }),
  reference_db: figure(
    'Add this to a level to get a sound pressure level, dB; null if levels are relative to full scale',
  ),
  calibration_db: figure('The sound pressure level that the recorder assumed for full scale, dB'),
  interval_ms: z.int().nullable().meta({ description: 'The length of a window, in milliseconds' }),
  channel: textOrNull('The measured channel: a number, `mean` or `max`; null if unknown'),
  statistic: z.enum(['leq', 'max', 'sample']).nullable().meta({
    description:
      'How a level represents its window. `leq`: the energy mean; `max`: the maximum of the time-weighted level; `sample`: a momentary value; null if unknown',
  }),
  instrument: z.string().max(200).nullable().meta({
    description: 'The name that the operator gave the meter; null without a name',
  }),
  counts_overload: z.boolean().nullable().meta({
    description: 'Whether the recorder counts overloaded windows, for `overload_percent`; null if unknown',
  }),
  clock: z.enum(['machine', 'start', 'name', 'file']).nullable().meta({
    description:
      'The source of the times of points. `machine`: the clock of the recording machine, for live sound; `start`: the start given by hand (`--start`); `name`: the name of the sound file (`--name-time`); `file`: the metadata of the sound file; null if unknown',
  }),
});
export type PeriodSettings = z.infer<typeof PeriodSettings>;

/** Settings with every field unknown. */
export const UNKNOWN = PeriodSettings.parse(
  Object.fromEntries(PeriodSettings.keyof().options.map((setting) => [setting, null])),
);

/** Answers and recorders consider at most this many periods, the newest ones. */
export const MOST_PERIODS = 100;

/** Settings that apply from a time until the next period. */
export const Period = PeriodSettings.extend({ since: Instant });
export type Period = z.infer<typeof Period>;

/** @returns the statistic of a recorder: maxima if it has a time weighting, otherwise means; null if unknown */
export function recordedStatistic({
  weighting,
  time_weighting,
}: Pick<PeriodSettings, 'weighting' | 'time_weighting'>): PeriodSettings['statistic'] {
  if (time_weighting !== null) return 'max';
  return weighting === null ? null : 'leq';
}

const { weighting, time_weighting, reference_db, ...others } = PeriodSettings.shape;

export const RecordingPeriod = z
  .object({
    since: instant('Start of the period. It lasts until the next period starts'),
    unit: Unit.meta({ description: 'The unit of levels once reference_db is added' }),
    reference_db,
    weighting,
    time_weighting,
    ...others,
  })
  .meta({ id: 'RecordingPeriod', description: 'A period of points recorded with the same settings' });
export type RecordingPeriod = z.infer<typeof RecordingPeriod>;

const LEVELS = {
  stored: 'levels as in the database (add reference_db to get sound pressure levels)',
  absolute: 'sound pressure levels, computed with reference_db or the calibration of the station',
} as const;
export const Levels = nameIn(LEVELS);
export type Levels = z.infer<typeof Levels>;

/** The parameter of every operation that returns or takes levels. */
export const levelsInput = Levels.default('stored').meta({
  description: `The scale of levels, in parameters and in the answer. ${meaningsOf(LEVELS)}. \`absolute\` is refused if the levels are not calibrated, or if levels in the interval have different scales`,
  examples: ['stored'],
});

const common = (what: string) => `${what}; null if periods in the interval differ`;

export const LevelScale = z
  .object({
    levels: Levels.meta({ description: `The scale of the levels in this answer. ${meaningsOf(LEVELS)}` }),
    unit: Unit.nullable().describe(
      'The unit of levels once reference_db is added: `dBFS` (relative to full scale) without a reference. Null if periods in the interval differ in unit, reference, weighting, time weighting or statistic',
    ),
    reference_db: figure(
      'Add this to a level of this answer to get a level in `unit`, dB. It is 0 with `dBFS` and with absolute levels; null if `unit` is null',
    ),
    floor_db: number(
      'The lowest level that can be stored, on the scale of this answer, dB. The true level may have been lower. The highest level that can be stored is 50 dB above it',
    ),
    weighting: weighting.meta({ description: common('The frequency weighting (IEC 61672-1)') }),
    time_weighting: time_weighting.describe(
      'The time weighting (IEC 61672-1); null for levels without one, or if periods in the interval differ',
    ),
    statistic: others.statistic.meta({ description: common('How a level represents its window') }),
    energy_unavailable: bool(
      'Whether any level in the interval is the maximum of a window longer than a twentieth of the time constant (125 ms fast, 1 s slow). The energy mean of such maxima is too high: for impulses by 10·lg(1 + window / time constant), which is 2.55 dB for fast maxima of 100 ms. So equivalent levels, exposure levels and their comparisons with limits are null. To get them, record without a time weighting',
    ),
    recording_period_count: z.int().min(1).meta({
      description:
        'The number of recording periods (service.info) with points in the interval. The time before the first period counts as one. If there are several, statistics mix points that were recorded differently',
    }),
  })
  .meta({ id: 'LevelScale', description: 'The scale of the levels in an answer' });
export type LevelScale = z.infer<typeof LevelScale>;

/** The scale in answers that hold points. */
export const PointsScale = z
  .object(LevelScale.shape)
  .optional()
  .meta({ description: 'The scale of the levels; present only with levels=absolute' });

export const EXAMPLE_SCALE: LevelScale = {
  levels: 'stored',
  unit: 'dB(A)',
  reference_db: 95,
  floor_db: FLOOR_DB,
  weighting: 'A',
  time_weighting: null,
  statistic: 'leq',
  energy_unavailable: false,
  recording_period_count: 1,
};

/** Whether levels of all periods have the same meaning. An unknown statistic matches any other. */
export function doLevelsCompare(...periods: readonly PeriodSettings[]): boolean {
  const isOne = (values: readonly unknown[]) => new Set(values).size <= 1;
  return (
    isOne(periods.map(({ weighting }) => weighting)) &&
    isOne(periods.map(({ time_weighting }) => time_weighting)) &&
    isOne(periods.map(({ reference_db }) => reference_db)) &&
    isOne(periods.flatMap(({ statistic }) => statistic ?? []))
  );
}

/** The time constants of detectors in milliseconds (IEC 61672-1, 5.8). */
const TIME_CONSTANT_MS = { fast: 125, slow: 1000 } as const;

/**
 * Whether the levels are maxima of windows longer than a twentieth of the time constant. For impulses, their energy mean
 * is 10·lg(1 + window / constant) too high: 0.2 dB at a twentieth. An unknown detector counts as fast, and an unknown
 * window as too long.
 */
export function isEnergyUnavailable({ statistic, time_weighting, interval_ms }: PeriodSettings): boolean {
  const constantMs = TIME_CONSTANT_MS[time_weighting ?? 'fast'];
  return statistic === 'max' && (interval_ms === null || interval_ms > constantMs / 20);
}

export const isKnown = <Row extends PeriodSettings>(period: Row | undefined): period is Row =>
  period !== undefined && period.weighting !== null;
