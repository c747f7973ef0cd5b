// How parameters are declared: every message names what is allowed, and unknown names are refused.
import { z } from 'zod';
import { INSTANT_ALLOWED } from './instant.ts';
import { InstantInput } from './instant-schema.ts';
import { must } from './messages.ts';

/** An input object: unknown parameters are refused. */
export function parameters<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ') || 'none';
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `is not a parameter of this operation, which takes ${names}`
        : `must be an object with ${names}`,
  });
}

/** A whole number from `min` to `max`. A number outside is refused, not clamped. */
export function wholeNumber(range: { min: number; max: number; default: number; description: string }) {
  const allowed = must(`a whole number from ${range.min} to ${range.max}`);
  return z
    .int(allowed)
    .min(range.min, allowed)
    .max(range.max, allowed)
    .default(range.default)
    .meta({ description: range.description, examples: [range.default] });
}

/** The start of an interval, which belongs to it. */
export const From = InstantInput.meta({
  description: `Start of the interval, inclusive: ${INSTANT_ALLOWED}`,
  examples: ['now-1h'],
});

/** The end of an interval, which does not belong to it. */
export const To = InstantInput.meta({
  description: `End of the interval, exclusive: ${INSTANT_ALLOWED}`,
  examples: ['now'],
});

const allowed = must('the next_cursor of the page before');

/** Where the page before ended. */
export const Cursor = z
  .string(allowed)
  .min(1, allowed)
  .max(500, allowed)
  .meta({ description: 'The next_cursor of the page before; the other parameters stay as they were' })
  .optional();

/** The `next_cursor` of a page. */
export const NextCursor = z.string().nullable().meta({
  description: 'Pass it as cursor to get the next page; null when there is none',
});
