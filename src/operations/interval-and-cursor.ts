// Reads the interval of a request without its excluded stretches, and the page that a cursor selects.
import { z } from 'zod';
import type { Exclusions } from '../contract/exclusions.ts';
import {
  addSeconds,
  INSTANT_ALLOWED,
  type Interval,
  isDate,
  isRelative,
  type OpenInterval,
  parseInstant,
} from '../contract/instant.ts';
import { Instant } from '../contract/parameters.ts';
import { rangeOf, totalLength, within } from '../contract/ranges.ts';
import { badParameter } from '../errors.ts';
import { consistently, excludedOf, type Store } from '../rollups/store.ts';
import { historyOf } from './history-ends.ts';
import { assertTimeZone, startOfDate } from './local-days.ts';

/** `from` and `to` as the caller sent them. Some operations accept either alone, or neither. */
export interface IntervalInput {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The time zone of dates. Required if a date is given. */
  readonly time_zone?: string | undefined;
}

/** The start and the end of an interval `[from, to)`. Each is null if the caller left it out. */
export interface IntervalOf<Input extends IntervalInput = IntervalInput> {
  readonly from: Input extends { from: string } ? string : string | null;
  readonly to: Input extends { to: string } ? string : string | null;
}

export function readInstant(parameter: string, text: string, now: string): string {
  const instant = parseInstant(text, now);
  if (!instant) throw badParameter(parameter, `must be ${INSTANT_ALLOWED}, in the years 0001 to 9999`);
  return instant;
}

/** @param text an instant, or a date if the schema accepts dates */
function readEnd(parameter: string, text: string, now: string, timeZone: string | undefined): string {
  if (!isDate(text)) return readInstant(parameter, text, now);
  if (timeZone === undefined)
    throw badParameter('time_zone', `is required, because \`${parameter}\` is a date`);
  return startOfDate(text, timeZone);
}

export function readInterval<Input extends IntervalInput>(input: Input, now: string): IntervalOf<Input> {
  if (input.time_zone !== undefined) assertTimeZone(input.time_zone);
  const from = input.from === undefined ? null : readEnd('from', input.from, now, input.time_zone);
  const to = input.to === undefined ? null : readEnd('to', input.to, now, input.time_zone);
  if (from !== null && to !== null && from >= to) {
    throw badParameter('from', `must be earlier than \`to\`: ${from} is not before ${to}`);
  }
  return { from, to } as IntervalOf<Input>;
}

export function windowBefore(to: string, seconds: number): Interval {
  const from = addSeconds(to, -seconds);
  if (!from) throw badParameter('to', 'must be at least one period after the start of year 0001');
  return { from, to };
}

const FOREIGN = 'must come from the same operation with the same parameters (only `limit` may differ)';

/** The parameters that a page depends on, besides its interval. */
type PageParameters = number | null | readonly (number | null)[];

interface Paged<Input extends IntervalInput = IntervalInput> {
  readonly operation: string;
  readonly parameters: PageParameters;
  readonly interval: IntervalOf<Input>;
}

const Content = z.tuple([z.string(), z.unknown(), Instant.nullable(), Instant.nullable(), z.unknown()]);

/** @returns the cursor of the page that starts at `next`, or null if there are no more pages. */
export function writeCursor({ operation, parameters, interval }: Paged, next: object | null): string | null {
  if (!next) return null;
  const content = [operation, parameters, interval.from, interval.to, next];
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/**
 * Reads the requested page and its start. A cursor contains its interval, so relative times keep their meaning from
 * the first page. Parameters that do not depend on the clock must be unchanged.
 *
 * @param start the schema of the start of a page
 */
export function readPageRequest<
  Input extends IntervalInput & { readonly cursor?: string | undefined },
  Start extends { readonly time: string },
>(
  operation: string,
  parameters: PageParameters,
  input: Input,
  now: string,
  start: z.ZodType<Start>,
): { page: Paged<Input>; position?: Start } {
  if (input.cursor === undefined) {
    return { page: { operation, parameters, interval: readInterval(input, now) } };
  }
  const content = decode(input.cursor);
  if (!content) throw badParameter('cursor', 'must be a next_cursor from this service');
  const [madeFor, parametersBefore, from, to, next] = content;
  const position = start.safeParse(next).data;
  const isSame =
    position !== undefined &&
    madeFor === operation &&
    JSON.stringify(parametersBefore) === JSON.stringify(parameters) &&
    agrees('from', input, from, now) &&
    agrees('to', input, to, now) &&
    (from === null || position.time >= from) &&
    (to === null || position.time < to);
  if (!isSame) throw badParameter('cursor', FOREIGN);
  const interval = { from, to } as IntervalOf<Input>;
  return { page: { operation, parameters, interval }, position };
}

/** Accepts any relative time, because it has moved since the cursor was made. An absolute time must be the same. */
function agrees(end: 'from' | 'to', input: IntervalInput, made: string | null, now: string): boolean {
  const { [end]: text, time_zone } = input;
  if (text === undefined) return made === null;
  return isRelative(text) ? made !== null : readEnd(end, text, now, time_zone) === made;
}

function decode(cursor: string): z.infer<typeof Content> | undefined {
  try {
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.toString('base64url') !== cursor) return undefined; // the decoder skips invalid characters
    return Content.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}

/** @param interval null means no end. @returns what `read` found, which agrees with its scale and `excluded_seconds` */
export function leaveOut<Found extends object>(
  { db, rollups }: Store,
  exclusions: Exclusions,
  interval: OpenInterval,
  read: (store: Store) => Promise<Found>,
): Promise<Found & { excluded_seconds: number } & Awaited<ReturnType<typeof historyOf>>> {
  return consistently({ db, rollups, exclusions }, async (store: Store) => ({
    ...(await read(store)),
    excluded_seconds: excludedSeconds(store, interval),
    ...(await historyOf(store, interval)),
  }));
}

const excludedSeconds = (store: Store, interval: OpenInterval): number =>
  Number(totalLength(within(excludedOf(store), rangeOf(interval)))) / 1e6;
