// Cursors: where a page ended, and the question that it belongs to.
import { z } from 'zod';
import { Instant, isRelative, parseInstant } from '../contract/instant.ts';
import { badParameter } from '../errors.ts';
import type { Position } from '../points/page.ts';
import { type Interval, type IntervalInput, readInstant, readInterval } from './interval.ts';

/** A question that has pages. */
interface Question<Input extends IntervalInput = IntervalInput> {
  readonly operation: string;
  readonly threshold: number | null;
  readonly interval: Interval<Input>;
}

/** A cursor's time must be real: it goes to the database as it is. */
const Moment = Instant.refine((text) => parseInstant(text, text) === text);

const Content = z.tuple([
  z.string(),
  z.number().nullable(),
  Moment.nullable(),
  Moment.nullable(),
  z.object({
    time: Moment,
    level: z.number().min(-51).max(1),
    frequency: z.int().min(0).max(9000),
    silence: z.boolean(),
    skip: z.int().positive().max(1e9),
  }),
]);

/** @returns the opaque text that continues `question` at `next`, or null where nothing is left. */
export function writeCursor(
  { operation, threshold, interval }: Question,
  next: Position | null,
): string | null {
  if (!next) return null;
  const content = [operation, threshold, interval.from, interval.to, next];
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/**
 * The question that a request asks, and where its page starts. With a cursor the interval is the cursor's,
 * so that times relative to the clock mean what they meant on the first page; whatever does not depend on
 * the clock must be as it was.
 *
 * @throws AppError BAD_REQUEST for a foreign cursor, and where `from` is not earlier than `to`
 */
export function readQuestion<Input extends IntervalInput & { readonly cursor?: string | undefined }>(
  operation: string,
  threshold: number | null,
  input: Input,
  now: string,
): { question: Question<Input>; position?: Position } {
  if (input.cursor === undefined) {
    return { question: { operation, threshold, interval: readInterval(input, now) } };
  }
  const content = decode(input.cursor);
  if (!content) throw badParameter('cursor', 'must be a next_cursor that this service gave');
  const [madeFor, above, from, to, position] = content;
  const same =
    madeFor === operation &&
    above === threshold &&
    agrees('from', input.from, from, now) &&
    agrees('to', input.to, to, now) &&
    (from === null || position.time >= from) &&
    (to === null || position.time < to);
  if (!same) {
    throw badParameter(
      'cursor',
      'must come from the same operation with the same parameters (limit may differ)',
    );
  }
  const interval = { from, to } as Interval<Input>;
  return { question: { operation, threshold, interval }, position };
}

/** A time relative to the clock has moved since the cursor was made; any other must be the same instant. */
function agrees(parameter: string, text: string | undefined, made: string | null, now: string): boolean {
  if (text === undefined) return made === null;
  return isRelative(text) ? made !== null : readInstant(parameter, text, now) === made;
}

function decode(cursor: string): z.infer<typeof Content> | undefined {
  try {
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.toString('base64url') !== cursor) return undefined; // the decoder skips what it cannot read
    return Content.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}
