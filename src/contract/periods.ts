// Periods of points that were recorded alike, and the unit of their levels.
import { z } from 'zod';
import { Instant } from './instant-schema.ts';
import { FLOOR_DB, UNITS } from './level-unit.ts';
import { meaningsOf, nameIn } from './parameters.ts';

export const Unit = z.enum(UNITS);
export type Unit = z.infer<typeof Unit>;

/** How points were recorded; null where nothing is known. */
export const PeriodSettings = z.object({
  weighting: z.enum(['A', 'C', 'Z']).nullable().meta({
    description:
      'The frequency weighting of the levels (IEC 61672-1): `A`, `C`, or `Z`, unweighted. With `Z` a recorder counts DC and all below 10 Hz too. Null if it is not known',
  }),
  time_weighting: z.enum(['fast', 'slow']).nullable().meta({
    description: 'The time weighting of the levels (IEC 61672-1); null for levels without one',
  }),
  reference_db: z.number().nullable().meta({
    description:
      'What to add to a level for a sound pressure level, dB; null where levels are relative to full scale',
  }),
  calibration_db: z.number().nullable().meta({
    description: 'The sound pressure level that the recorder took full scale for, dB',
  }),
  interval_ms: z.int().nullable().meta({ description: 'The length of a window, in milliseconds' }),
  channel: z.string().nullable().meta({
    description: 'Of sound with several channels: the one that was measured, `mean` or `max`',
  }),
  statistic: z.enum(['leq', 'max', 'sample']).nullable().meta({
    description:
      'What a level is: `leq`, the energy mean of its window; `max`, the maximum of the time-weighted level in its window; `sample`, a momentary value. Null where it is not known',
  }),
  instrument: z.string().max(200).nullable().meta({
    description: 'What the operator calls the meter; null where it has no name',
  }),
  counts_overload: z.boolean().nullable().meta({
    description:
      'Whether the recorder counts the windows whose sound was overloaded, for `overload_percent`; null if that is not known',
  }),
  clock: z.enum(['machine', 'start', 'name', 'file']).nullable().meta({
    description:
      'How the times of points were set: `machine`, live sound by the clock of the machine that recorded it; of a recording, `start`, by hand (`--start`), `name`, by the name of the file (`--name-time`), or `file`, by what the file says of itself. Null if it is not known',
  }),
});
export type PeriodSettings = z.infer<typeof PeriodSettings>;

/** Settings of which nothing is known. */
export const UNKNOWN: PeriodSettings = {
  weighting: null,
  time_weighting: null,
  reference_db: null,
  calibration_db: null,
  interval_ms: null,
  channel: null,
  statistic: null,
  instrument: null,
  counts_overload: null,
  clock: null,
};

/** How many periods an answer tells and a recorder looks at, the newest. */
export const MOST_PERIODS = 100;

/** From a time on, until the next one. */
export const Period = PeriodSettings.extend({ since: Instant });
export type Period = z.infer<typeof Period>;

/** The statistic of a recorder, which stores maxima with a time weighting and else means; null where nothing is known. */
export function recordedStatistic({
  weighting,
  time_weighting,
}: Pick<PeriodSettings, 'weighting' | 'time_weighting'>): PeriodSettings['statistic'] {
  if (time_weighting !== null) return 'max';
  return weighting === null ? null : 'leq';
}

/** Settings in files, whose earlier versions lack some: see {@link completed}. */
export const KeptSettings = PeriodSettings.partial({
  statistic: true,
  instrument: true,
  counts_overload: true,
  clock: true,
});

export function completed<Kept extends z.infer<typeof KeptSettings>>(kept: Kept) {
  const {
    statistic = recordedStatistic(kept),
    instrument = null,
    counts_overload = null,
    clock = null,
  } = kept;
  return { ...kept, statistic, instrument, counts_overload, clock };
}

/** A period in a file. */
export const KeptPeriod = KeptSettings.extend({ since: Instant }).transform(completed);

const { weighting, time_weighting, reference_db, ...others } = PeriodSettings.shape;

export const RecordingPeriod = z
  .object({
    since: Instant.meta({ description: 'Its first point; it lasts until the next period' }),
    unit: Unit.meta({ description: 'The unit of a level plus reference_db' }),
    reference_db,
    weighting,
    time_weighting,
    ...others,
  })
  .meta({ id: 'RecordingPeriod', description: 'A period of points that were recorded alike' });
export type RecordingPeriod = z.infer<typeof RecordingPeriod>;

const LEVELS = {
  stored: 'as they are stored: add reference_db for a sound pressure level',
  absolute: 'sound pressure levels, from reference_db or the calibration of the station',
} as const;
export const Levels = nameIn(LEVELS);
export type Levels = z.infer<typeof Levels>;

/** The parameter of every operation that answers or takes levels. */
export const levelsInput = Levels.default('stored').meta({
  description: `The scale of levels, those of parameters too: ${meaningsOf(LEVELS)}. \`absolute\` is refused if nothing calibrates the levels, or if levels of different scales meet in the interval`,
  examples: ['stored'],
});

const common = (what: string) => `${what}, if all periods of the interval agree; null otherwise`;

/** The scale of the levels of an answer. */
export const LevelScale = z
  .object({
    levels: Levels.meta({ description: `What the levels of this answer are: ${meaningsOf(LEVELS)}` }),
    unit: Unit.nullable().meta({
      description:
        'The unit of a level plus reference_db: `dBFS`, dB relative to full scale, if the recorder had no reference; null if the interval holds periods whose levels do not compare, by their unit, reference, weighting, time weighting or statistic',
    }),
    reference_db: z.number().nullable().meta({
      description:
        'What to add to each level of this answer, dB: 0 with `dBFS` and with absolute levels; null if unit is',
    }),
    floor_db: z.number().meta({
      description:
        'The lowest level that can be stored, on the scale of this answer, dB: a level there may have been lower. The highest is 50 dB above it',
    }),
    weighting: weighting.meta({ description: common('The frequency weighting (IEC 61672-1)') }),
    time_weighting: time_weighting.meta({
      description: common('The time weighting (IEC 61672-1), which is null for levels without one'),
    }),
    statistic: others.statistic.meta({ description: common('What a level is of its window') }),
    energy_unavailable: z.boolean().meta({
      description:
        'Whether any levels of the interval are maxima of windows longer than the time constant of their detector (125 ms fast, 1 s slow). Energy means of such maxima read up to 9 dB too high, so every equivalent level, exposure level and comparison of one with a limit is null. Record without a time weighting, or in shorter windows, for these',
    }),
    recording_period_count: z.int().min(1).meta({
      description:
        'How many periods (service.info) the points of the interval belong to, the time before the first one included; with more than one the statistics are over points that were recorded differently',
    }),
  })
  .meta({ id: 'LevelScale', description: 'What the levels of an answer are relative to' });
export type LevelScale = z.infer<typeof LevelScale>;

/** Of answers that hold points. */
export const PointsScale = z
  .object(LevelScale.shape)
  .optional()
  .meta({ description: 'The scale of the levels; it is there with levels=absolute' });

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

/** Whether levels of all periods mean the same. A statistic that is not known compares with any other. */
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
 * Whether the levels are maxima whose energy mean is not that of the sound: those of windows longer than the time
 * constant. A detector that is not known counts as fast, and a window that is not known as long.
 */
export function isEnergyUnavailable({ statistic, time_weighting, interval_ms }: PeriodSettings): boolean {
  const constantMs = TIME_CONSTANT_MS[time_weighting ?? 'fast'];
  return statistic === 'max' && (interval_ms === null || interval_ms > constantMs);
}

/** Whether anything is known of the levels. */
export function isKnown<Row extends PeriodSettings>(period: Row | undefined): period is Row {
  return period !== undefined && period.weighting !== null;
}
