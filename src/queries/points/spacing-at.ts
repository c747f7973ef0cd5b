// Measures the spacing of points around a time, as SQL.
import { FIRST_MICROS, LAST_MICROS, type Range } from '../../contract/instant.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { audioData } from '../../db/schema.ts';

/** The number of neighbouring times that determine a spacing: few, so that it soon follows a changed setting. */
export const SPACING_TIMES = 21;

const DAY_MICROS = 86_400_000_000n;
const DAY = sql`interval '24 hours'`;
const { time } = audioData;
const most = sql.raw(String(SPACING_TIMES));

/**
 * The median gap between neighbouring distinct times among the last 21 in the day before a time. If that day has fewer
 * times, the first ones of the day after are added.
 *
 * @param isNear a condition on `time`, true for {@link aDayAround} the time: lets TimescaleDB skip chunks at planning
 * @returns the select of one number in microseconds; null if there are fewer than two times
 */
export function spacingAt(at: SQL, isNear: SQL): SQL {
  return sql`
    with before as materialized (
      select distinct ${time} from ${audioData} where ${time} < ${at} and ${time} >= ${at} - ${DAY} and ${isNear}
      order by time desc limit ${most}
    ),
    times as (
      select time from before
      union all (
        select distinct ${time} from ${audioData} where ${time} >= ${at} and ${time} < ${at} + ${DAY} and ${isNear}
        order by time limit ${most} - (select count(*) from before)
      )
    )
    ${medianDistance(sql`times`)}`;
}

/** @returns the select of the median gap between neighbouring times of a relation, in whole microseconds */
export function medianDistance(times: SQL): SQL {
  return sql`
    select floor(percentile_cont(0.5) within group (order by micros)) as micros
    from (
      select round(date_part('epoch', time - lag(time) over (order by time)) * 1000000) as micros from ${times}
    ) as distances`;
}

/** A range, and a day before and after. */
export function aDayAround({ from, to }: Range): Range {
  const [since, until] = [from - DAY_MICROS, to + DAY_MICROS];
  return {
    from: since > FIRST_MICROS ? since : FIRST_MICROS,
    to: until <= LAST_MICROS ? until : LAST_MICROS + 1n,
  };
}
