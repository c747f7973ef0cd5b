// The schemas of instants in requests and in answers.
import { z } from 'zod';
import { INSTANT_ALLOWED, INSTANT_OR_DATE_ALLOWED, isDate, parseAbsolute, parseInstant } from './instant.ts';
import { must } from './parameter-messages.ts';

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
  .meta({
    format: 'date-time',
    examples: ['2026-01-01T00:00:00.123456Z'],
  });

/** The start and the end of an answer's interval. */
export const intervalEnds = {
  from: Instant.meta({ description: 'Start of the interval, inclusive' }),
  to: Instant.meta({ description: 'End of the interval, exclusive' }),
};

/** The interval in examples of the OpenAPI document. */
export const EXAMPLE_INTERVAL = { from: '2026-01-01T00:00:00.000000Z', to: '2026-01-01T01:00:00.000000Z' };
