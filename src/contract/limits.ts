// Level limits by time of day, written as 06-22=55,22-06=45, and the settings for comparing levels with them.
import { z } from 'zod';
import { figure, number, text } from './fields.ts';
import { minuteOfDay } from './minute-of-day.ts';
import { meaningsOf, nameIn } from './parameters.ts';

export const MOST_LIMITS = 24;

const MAX_PENALTY_DB = 20;

const clockTime = (what: string) => text(`${what}. Local time of day, such as \`22:00\``);

/** The possible stretches of a part to compare with its limit. */
export const ASSESSED = {
  part: 'the whole part',
  hour: 'its loudest full clock hour (TA Lärm, DIN 45645-1)',
  '15m': 'its loudest full quarter of an hour (BS 4142)',
} as const;
export const Assess = nameIn(ASSESSED);
export type Assess = z.infer<typeof Assess>;

export const LimitWeighting = z.enum(['A', 'C', 'Z']);
export type LimitWeighting = z.infer<typeof LimitWeighting>;

export const Limit = z
  .object({
    start: clockTime('When the limit begins to apply'),
    end: clockTime('When the limit ends. If not after `start`, this is on the next day'),
    limit_db: number('The level not to exceed, in dB on the calibrated scale'),
    weighting: LimitWeighting.describe(
      'The frequency weighting of the limit. Levels of another or an unknown weighting are not compared with it',
    ),
    penalty_db: z.number().min(0).max(MAX_PENALTY_DB).meta({
      description:
        'Penalty for tones, impulses or information content, dB, set by a person; 0 without a penalty. It is added to the assessed level before the comparison',
    }),
    assess: Assess.nullable().meta({
      description: `The stretch of each part to compare with this limit: ${meaningsOf(ASSESSED)}. Null for the \`assess\` of the station`,
    }),
    max_limit_db: figure(
      'The limit of single maxima with time weighting Fast, in dB on the calibrated scale; null without one',
    ),
  })
  .meta({ id: 'Limit', description: 'A limit for a part of the day' });
export type Limit = z.infer<typeof Limit>;

export const Limits = z.array(Limit).meta({
  description: 'Level limits by time of day, earliest first; [] if there are none',
});

/** The message for limits that cannot be parsed. */
export const LIMITS_ALLOWED =
  'must be limits by time of day without overlaps, in dB on the calibrated scale, such as 06-22=55,22:30-06=45. A weighting other than A may follow a level, such as 45C, and then options after colons: a penalty of 0 to 20 dB, max and a limit of Fast maxima, and part, hour or 15m, the stretch to assess, such as 22-06=40:3:max60:hour';

const LEVEL = String.raw`\d{1,3}(?:\.\d{1,2})?`;
const PART = new RegExp(
  String.raw`^(\d\d?)(?::(\d\d))?-(\d\d?)(?::(\d\d))?=(${LEVEL})([ACZ])?((?::[^:]+)*)$`,
);
const PENALTY = /^\d{1,2}(?:\.\d{1,2})?$/;
const MAXIMUM = new RegExp(`^max(${LEVEL})$`);
const DAY = 1440;

/** @returns the limits of a text such as `06-22=55,22-06=45:3`, earliest first; undefined if it is not valid */
export function parseLimits(text: string): Limit[] | undefined {
  const parts = text.split(',').map((part) => PART.exec(part.trim()));
  const limits: Limit[] = [];
  const taken = new Set<number>();
  for (const part of parts) {
    if (!part) return undefined;
    const [, startHour, startMinute = 0, endHour, endMinute = 0, level, weighting, given = ''] = part;
    const [start, end] = [minutes(startHour, startMinute), minutes(endHour, endMinute)];
    const options = readOptions(given.split(':').slice(1));
    if (start === undefined || end === undefined || !options) return undefined;
    const covered = Array.from({ length: lengthOf(start, end) }, (_, at) => (start + at) % DAY);
    if (covered.some((minute) => taken.has(minute))) return undefined; // they overlap
    for (const minute of covered) taken.add(minute);
    limits.push({
      start: clockText(start),
      end: clockText(end),
      limit_db: Number(level),
      weighting: LimitWeighting.catch('A').parse(weighting),
      ...options,
    });
  }
  if (limits.length > MOST_LIMITS) return undefined;
  return limits.toSorted((a, b) => minuteOfDay(a.start) - minuteOfDay(b.start));
}

type Options = Pick<Limit, 'penalty_db' | 'assess' | 'max_limit_db'>;

/** @returns undefined if an option is unknown, too large or given twice */
function readOptions(given: readonly string[]): Options | undefined {
  const options: Partial<Options> = {};
  for (const text of given) {
    const [, maximum] = MAXIMUM.exec(text) ?? [];
    const assess = Assess.safeParse(text).data;
    const [name, value] = assess
      ? (['assess', assess] as const)
      : maximum !== undefined
        ? (['max_limit_db', Number(maximum)] as const)
        : (['penalty_db', PENALTY.test(text) ? Number(text) : Number.POSITIVE_INFINITY] as const);
    if (name in options || (name === 'penalty_db' && value > MAX_PENALTY_DB)) return undefined;
    Object.assign(options, { [name]: value });
  }
  return { penalty_db: 0, assess: null, max_limit_db: null, ...options };
}

export const isNightly = ({ start, end }: Limit) =>
  minuteOfDay(start) === 0 || minuteOfDay(end) <= minuteOfDay(start);

/** How long a limit applies, in minutes: the whole day if start and end are equal. */
const lengthOf = (start: number, end: number) => ((end - start + DAY - 1) % DAY) + 1;

function minutes(hour: string | undefined, minute: string | number): number | undefined {
  const all = Number(hour) * 60 + Number(minute);
  return all <= DAY && Number(minute) < 60 ? all : undefined;
}

const clockText = (minute: number) =>
  [Math.floor(minute / 60) % 24, minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

export const MAX_UNCERTAINTY_DB = 20;

/** The settings of a station; null or missing means the default. */
export const JudgementSettings = z.object({
  assess: Assess.nullish(),
  uncertainty_db: z.number().nullish(),
  min_measured_percent: z.number().nullish(),
  weighting: LimitWeighting.nullish(),
});

export interface Judgement {
  readonly assess: Assess;
  /** The expanded uncertainty of levels (ISO 1996-2); null if it is not stated. */
  readonly uncertaintyDb: number | null;
  /** How much of a part must be measured to decide its state. */
  readonly minMeasuredPercent: number;
  /** The frequency weighting of levels whose recording period does not give it; null if unknown. */
  readonly weighting: LimitWeighting | null;
}

export const JUDGEMENT: Judgement = {
  assess: 'part',
  uncertaintyDb: null,
  minMeasuredPercent: 90,
  weighting: null,
};
