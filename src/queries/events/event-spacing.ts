// The spacing of points at the time of an event, as SQL.

import { AFTER_LAST_INSTANT, instantOfMicros, LAST_MICROS, type Range } from '../../contract/instant.ts';
import { parameter } from '../../db/compile.ts';
import type { Values } from '../../db/database.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { audioData } from '../../db/schema.ts';
import { aDayAround, spacingAt } from '../points/spacing-at.ts';

const { time } = audioData;

/** @returns the bound of a range in the form that statements take */
export const boundOf = (micros: bigint) =>
  micros > LAST_MICROS ? AFTER_LAST_INSTANT : instantOfMicros(micros);

export const TEN_MINUTES = sql`interval '10 minutes'`;
const TEN_MINUTES_MICROS = 600_000_000n;
/** The start of the ten minutes (UTC) that hold a time. */
export const tenMinutesOf = (time: SQL) => sql`date_bin('10 minutes', ${time}, '1970-01-01Z')`;

/** The spacing at a time, in microseconds. */
export const spacingNear = (at: SQL) =>
  spacingAt(
    at,
    sql`${time} >= ${parameter('spacing_from')}::timestamptz and ${time} < ${parameter('spacing_to')}::timestamptz`,
  );

/**
 * The spacing at the time of a point, in microseconds: the larger of the spacings at the start and at the end of its
 * ten minutes, so that no event splits at a change of the spacing. For a statement with the parameters of
 * {@link spacingBounds}.
 */
export function spacingOf(time: SQL): SQL {
  const start = tenMinutesOf(time);
  return sql`greatest((${spacingNear(start)}), (${spacingNear(sql`${start} + ${TEN_MINUTES}`)}))`;
}

/** @param range the range of the points whose spacing is needed */
export function spacingBounds({ from, to }: Range): Values {
  const near = aDayAround({ from: from - TEN_MINUTES_MICROS, to: to + TEN_MINUTES_MICROS });
  return { spacing_from: boundOf(near.from), spacing_to: boundOf(near.to) };
}
