// Intervals: reads the times that a caller wrote as the instants of a request.
import { addSeconds, INSTANT_ALLOWED, parseInstant } from '../contract/instant.ts';
import { badParameter } from '../errors.ts';

/** `from` and `to` as a caller wrote them. Some operations take either alone, or none. */
export interface IntervalInput {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The instants of an interval `[from, to)`, null for an end that was left out. */
export interface Interval<Input extends IntervalInput = IntervalInput> {
  readonly from: Input extends { from: string } ? string : string | null;
  readonly to: Input extends { to: string } ? string : string | null;
}

/**
 * @returns the canonical instant
 * @throws AppError BAD_REQUEST where it lies outside years 0001 to 9999
 */
export function readInstant(parameter: string, text: string, now: string): string {
  const instant = parseInstant(text, now);
  if (!instant) throw badParameter(parameter, `must be ${INSTANT_ALLOWED}, in the years 0001 to 9999`);
  return instant;
}

/**
 * Reads both ends of `[from, to)` against one clock.
 *
 * @throws AppError BAD_REQUEST where `from` is not earlier than `to`
 */
export function readInterval<Input extends IntervalInput>(input: Input, now: string): Interval<Input> {
  const from = input.from === undefined ? null : readInstant('from', input.from, now);
  const to = input.to === undefined ? null : readInstant('to', input.to, now);
  if (from !== null && to !== null && from >= to) {
    throw badParameter('from', `must be earlier than to; from is ${from} and to is ${to}`);
  }
  return { from, to } as Interval<Input>;
}

/** @returns the window of `seconds` that ends at `to`. */
export function windowBefore(to: string, seconds: number): { from: string; to: string } {
  const from = addSeconds(to, -seconds);
  if (!from) throw badParameter('to', 'must leave room for the period after the start of year 0001');
  return { from, to };
}
