// The settings of a station: the options of `station` that set them, and the variables of the default station.
import { z } from 'zod';
import {
  Assess,
  LIMITS_ALLOWED,
  LimitWeighting,
  MAX_UNCERTAINTY_DB,
  parseLimits,
} from '../contract/limits.ts';
import { lineUpTo } from '../contract/printable.ts';
import type { Measurement } from '../contract/station.ts';
import { isTimeZone } from '../contract/time-zone-clock.ts';
import { ChangedSettings } from '../database/station-schemas.ts';

export function numberOf(form: RegExp, min: number, max: number, error: string) {
  const inRange = z.number().min(min, { error }).max(max, { error });
  return z.string().regex(form, { error }).transform(Number).pipe(inRange);
}

const decimal = (max: number, unit: string, example: string) =>
  numberOf(
    /^\d{1,4}(\.\d{1,6})?$/,
    0,
    max,
    `must be a plain decimal number of ${unit} from 0 to ${max}, such as ${example}`,
  );

function textUpTo(most: number) {
  const error = `must have at most ${most} characters, and no control characters`;
  return z
    .string()
    .transform((text) => lineUpTo(most, text))
    .pipe(z.string({ error }));
}

const UNIT =
  '(us|usecs?|microseconds?|ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|mons?|months?|y|yrs?|years?)';
/** Interval text as PostgreSQL reads it: `35 days`, `1 year 6 months`, `35 days 12:00`, `P35D`. */
const INTERVAL = new RegExp(
  `^(?=.*\\d)(\\d+(\\.\\d+)?\\s*${UNIT}\\b\\s*)*(\\d+:[0-5]\\d(:[0-5]\\d)?)?$|^P(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?$(?<!P)`,
  'i',
);
export const intervalOr = (word: string, examples: string) =>
  z
    .string()
    .transform((text) => text.trim())
    .refine((text) => text === word || INTERVAL.test(text), {
      error: `must be a PostgreSQL interval such as ${examples}, or ${word}`,
    });

/** The settings that the service also reads from variables. A set variable wins, and is written nowhere. */
export const OwnVariables = z.object({
  PLACE_NAME: textUpTo(100).optional(),
  TIME_ZONE: z
    .string()
    .refine(isTimeZone, { error: 'must be an IANA time zone, such as Europe/Vienna or UTC' })
    .optional(),
  LIMITS: z
    .string()
    .refine((text) => parseLimits(text) !== undefined, { error: LIMITS_ALLOWED })
    .optional(),
  /** The sound pressure level at full scale (0 dBFS). */
  CALIBRATION_OFFSET_DB: numberOf(
    /^-?\d{1,3}(\.\d{1,6})?$/,
    -200,
    300,
    'must be a plain decimal number of dB from -200 to 300, such as 120.5',
  ).optional(),
  RAW_RETENTION: intervalOr('off', "'35 days' or '1 year 6 months'").optional(),
  HISTORY_RETENTION: intervalOr('off', "'10 years'").optional(),
});
const own = OwnVariables.shape;

/** Settings with a field belong to the measurement record. Others are columns, named as the variable. */
type Setting<Option = string> = readonly [
  option: Option,
  /** That of the default station, or the one of earlier versions. */
  variable: string,
  type: z.ZodType,
  field?: keyof Measurement,
];

const SETTINGS = [
  ['placeName', 'PLACE_NAME', own.PLACE_NAME],
  ['timeZone', 'TIME_ZONE', own.TIME_ZONE],
  ['limits', 'LIMITS', own.LIMITS],
  ['calibrationOffsetDb', 'CALIBRATION_OFFSET_DB', own.CALIBRATION_OFFSET_DB],
  ['rawRetention', 'RAW_RETENTION', own.RAW_RETENTION],
  ['historyRetention', 'HISTORY_RETENTION', own.HISTORY_RETENTION],
  ['assess', 'ASSESS', Assess],
  ['uncertaintyDb', 'UNCERTAINTY_DB', decimal(MAX_UNCERTAINTY_DB, 'dB', '2.5')],
  ['minMeasuredPercent', 'MIN_MEASURED_PERCENT', decimal(100, 'percent', '90')],
  ['weighting', 'WEIGHTING', LimitWeighting],
  ['position', 'MICROPHONE_POSITION', textUpTo(200), 'position'],
  ['heightM', 'MICROPHONE_HEIGHT_M', decimal(1000, 'metres', '4'), 'height_m'],
  ['facadeDistanceM', 'FACADE_DISTANCE_M', decimal(1000, 'metres', '0.5'), 'facade_distance_m'],
  ['microphone', 'MICROPHONE', textUpTo(200), 'microphone'],
  ['soundCard', 'SOUND_CARD', textUpTo(200), 'sound_card'],
  ['calibrator', 'CALIBRATOR', textUpTo(200), 'calibrator'],
  ['windscreen', 'WINDSCREEN', textUpTo(200), 'windscreen'],
  ['operator', 'OPERATOR', textUpTo(200), 'operator'],
] as const satisfies Setting[];
export type SettingName = (typeof SETTINGS)[number][0];

const settings: readonly Setting<SettingName>[] = SETTINGS;

/** The variables of earlier versions, each with the option that replaces it. */
export const FORMER_VARIABLES: ReadonlyMap<string, string> = new Map(
  settings.flatMap(([option, variable]) => (variable in own ? [] : [[variable, option]])),
);

/** The word that clears a setting. */
export const NONE = 'none';
/** These have a default, or mean something else if missing. */
const NEVER_NONE: readonly SettingName[] = [
  'rawRetention',
  'historyRetention',
  'assess',
  'minMeasuredPercent',
];

const GivenSettings = ChangedSettings.extend({
  raw_retention: z.string().optional(),
  history_retention: z.string().optional(),
});
export type GivenSettings = Readonly<z.infer<typeof GivenSettings>>;

/** @param textOf the text of an option or its variable, if given. @param onFault gets what a wrong text must be */
export function readGiven(
  textOf: (option: SettingName, variable: string) => string | undefined,
  onFault: (option: SettingName, message: string) => void = () => {},
): GivenSettings {
  const made: Record<string, unknown> = {};
  const measurement: Record<string, unknown> = {};
  for (const [option, variable, type, field] of settings) {
    const text = textOf(option, variable);
    if (text === undefined) continue;
    const isCleared = text === NONE && !NEVER_NONE.includes(option);
    const { data, error } = isCleared ? { data: null } : type.safeParse(text);
    const value = data === '' ? null : data;
    if (error) onFault(option, error.issues.map(({ message }) => message).join('; '));
    else if (field) measurement[field] = value;
    else made[variable.toLowerCase()] = variable === 'LIMITS' ? (value ?? '') : value;
  }
  return GivenSettings.parse({ ...made, ...(Object.keys(measurement).length > 0 && { measurement }) });
}
