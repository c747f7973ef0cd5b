// What the rest of a running part may still be.
import { type Interval, instantOfMicros, microsOf } from '../../../contract/instant.ts';
import { secondsIn } from './measured-stretches.ts';

interface Allowed {
  /** On the scale of stored levels, with penalties deducted. */
  readonly limit_db: number;
  readonly now: string;
  /** The mean power of the last ten minutes; null without a level in them. */
  readonly lastPower: number | null;
}

export const NOTHING_LEFT = { average_left_db: null, passed_at: null };

/**
 * @param running the running stretch
 * @param power its mean so far, also of the time without a level; null without any
 * @returns the level that the rest of it may have on average, on the scale of stored levels; and when it exceeds the
 *   limit at the level of the last ten minutes, null if not before the end
 */
export function restOf(
  { from, to }: Interval,
  power: number | null,
  { limit_db, now, lastPower }: Allowed,
): { left_db: number | null; passed_at: string | null } {
  const left = secondsIn({ from: now, to });
  const used = (power ?? 0) * secondsIn({ from, to: now });
  const budget = 10 ** (limit_db / 10) * secondsIn({ from, to }) - used;
  if (power === null || budget <= 0) return { left_db: null, passed_at: null };
  const seconds = lastPower === null ? left : Math.min(budget / lastPower, left);
  const passed_at = instantOfMicros(microsOf(now) + BigInt(Math.round(seconds * 1e6)));
  return { left_db: 10 * Math.log10(budget / left), passed_at: passed_at < to ? passed_at : null };
}
