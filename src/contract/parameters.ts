// Declares parameters and times. Each message names the allowed values, and unknown parameters are refused.
import { z } from 'zod';
import { INSTANT_ALLOWED, INSTANT_OR_DATE_ALLOWED, isDate, parseAbsolute, parseInstant } from './instant.ts';

/** Part of each error that a shorter interval avoids. Clients search messages for these words. */
export const SHORTER_INTERVAL = 'the interval shorter';

/** The error option of a schema. A repeated parameter arrives as an array. @param allowed such as `a number of dB` */
export const must = (allowed: string) => ({
  error: ({ input }: { input?: unknown }) => {
    if (input === undefined) return `is required, and must be ${allowed}`;
    if (input === '') return `must not be empty, but ${allowed}`;
    return `must be ${Array.isArray(input) ? 'given once, as ' : ''}${allowed}`;
  },
});

/** An input object. Refuses unknown parameters. */
export function parameters<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ') || 'none';
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `is not a parameter of this operation, which takes ${names}`
        : `must be an object with ${names}`,
  });
}

/** A whole number from `min` to `max`. Refuses other numbers instead of clamping them. */
export function wholeNumberFrom(min: number, max: number) {
  const allowed = must(`a whole number from ${min} to ${max}`);
  return z.int(allowed).min(min, allowed).max(max, allowed);
}

export const wholeNumber = (range: { min: number; max: number; default: number; description: string }) =>
  wholeNumberFrom(range.min, range.max)
    .default(range.default)
    .meta({ description: range.description, examples: [range.default] });

export const limitInput = (max: number, preset: number, description: string) =>
  wholeNumber({ min: 1, max, default: preset, description });

/** A number from `min` to `max`, with or without a fraction. */
export function numberFrom(min: number, max: number, unit: string) {
  const allowed = must(`a number of ${unit} from ${min} to ${max}`);
  return z.number(allowed).min(min, allowed).max(max, allowed);
}

/** One of an object's keys. */
export function nameIn<Name extends string>(named: Readonly<Record<Name, unknown>>) {
  const isName = (name: string): name is Name => Object.hasOwn(named, name);
  const names = Object.keys(named).filter(isName);
  return z.enum(names, must(`one of ${names.join(', ')}`));
}

/** Lists names with their meanings, for a description. */
export const meaningsOf = (named: Readonly<Record<string, string>>) =>
  Object.entries(named)
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join('; ');

const SOME_NOW = '2026-01-01T00:00:00.000000Z';

const isInstant = (text: string) => parseInstant(text, SOME_NOW) !== undefined;

/** A time as a caller writes it: {@link INSTANT_ALLOWED}. */
export const InstantInput = z.string(must(INSTANT_ALLOWED)).refine(isInstant, must(INSTANT_ALLOWED));

/** {@link INSTANT_OR_DATE_ALLOWED}. */
export const InstantOrDateInput = z
  .string(must(INSTANT_OR_DATE_ALLOWED))
  .refine((text) => isInstant(text) || isDate(text), must(INSTANT_OR_DATE_ALLOWED));

/** A time as the service writes it: `2026-01-01T00:00:00.123456Z`, always UTC and six digits. */
export const Instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/)
  .refine((text) => parseAbsolute(text) === text) // the pattern also accepts 31 February
  .meta({ format: 'date-time', examples: ['2026-01-01T00:00:00.123456Z'] });

export const intervalEnds = {
  from: Instant.meta({ description: 'Start of the interval, inclusive' }),
  to: Instant.meta({ description: 'End of the interval, exclusive' }),
};

export const EXAMPLE_INTERVAL = { from: '2026-01-01T00:00:00.000000Z', to: '2026-01-01T01:00:00.000000Z' };

/** An interval in the input, for an operation with a `time_zone` of its own. */
export const fromToWithoutZone = {
  from: InstantOrDateInput.meta({
    description: `Start of the interval, inclusive: ${INSTANT_OR_DATE_ALLOWED}`,
    examples: ['now-1h'],
  }),
  to: InstantOrDateInput.meta({
    description: `End of the interval, exclusive: ${INSTANT_OR_DATE_ALLOWED}`,
    examples: ['now'],
  }),
};

const zone = must('an IANA time zone, such as Europe/Vienna or UTC');
/** An unescaped `+` in a query string, as in Etc/GMT+5, arrives as a space. */
const ZoneName = z
  .string(zone)
  .overwrite((text) => text.replace(' ', '+'))
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]{0,99}$/, zone);

export const DEFAULT_TIME_ZONE = 'UTC';

/** The procedure checks whether the zone exists. The schema has no default: dates need a zone from the caller. */
export const timeZoneInput = (description: string, example = 'Europe/Vienna') =>
  ZoneName.meta({ description, examples: [example], default: DEFAULT_TIME_ZONE }).optional();

/** The same, with the zone of the station as the default. */
export const optionalTimeZone = (description: string) =>
  ZoneName.meta({ description, examples: ['Europe/Vienna'] }).optional();

/** The time zone of an operation that has no other use for it. */
export const dateZone = optionalTimeZone('IANA time zone of dates in `from` and `to`');

/** An interval in the input, for other operations. */
export const fromTo = { ...fromToWithoutZone, time_zone: dateZone };

/** The same without a start, an end or both. */
export const optionalFromTo = {
  from: fromTo.from.optional(),
  to: fromTo.to.optional(),
  time_zone: dateZone,
};

const allowed = must('the next_cursor of the previous page');

/** The end of the previous page. */
export const Cursor = z
  .string(allowed)
  .min(1, allowed)
  .max(500, allowed)
  .meta({ description: 'The next_cursor of the previous page. Keep the other parameters unchanged' })
  .optional();

export const NextCursor = z.string().nullable().meta({
  description: 'Pass this as `cursor` to get the next page; null on the last page',
});
