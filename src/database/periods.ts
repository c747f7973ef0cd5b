// Reads and writes how points were recorded: the rows of audio_data_periods.
import { type Period, PeriodSettings } from '../contract/periods.ts';
import type { Queries } from './database.ts';
import { compile, desc, eq, instantText, lte, parameter, sql, withBuilder } from './drizzle.ts';
import { tables } from './schema.ts';

const { periods, points } = tables;

const settings = sql.raw(PeriodSettings.keyof().options.join(', '));
/** The columns as in {@link Period}. */
export const periodColumns = sql`${instantText(sql`since`)} as since, ${settings}`;

const newestOfPoints = compile(
  sql<Period>`select ${periodColumns}
    from (select *, lead(since, 1, 'infinity') over (order by since) as until from ${periods}) as audio_data_periods
    where exists (select from ${points} where time >= since and time < until)
    order by audio_data_periods.since desc limit ${parameter('limit')}`,
  'newest_periods_of_points',
);

/** Oldest first. */
export const allPeriods = (queries: Queries): Promise<Period[]> =>
  withBuilder(queries, (builder) => builder.select().from(periods).orderBy(periods.since));

/** Newest first. */
export const newestPeriods = (queries: Queries, limit: number): Promise<Period[]> =>
  withBuilder(queries, (builder) => builder.select().from(periods).orderBy(desc(periods.since)).limit(limit));

/** Newest first, without the periods whose points are all deleted. */
export const newestPeriodsOfPoints = ({ query }: Queries, limit: number, signal?: AbortSignal) =>
  query(newestOfPoints, { limit }, signal);

/** @returns the period in force at a time; undefined before the first one */
export async function periodInForce(queries: Queries, time: string): Promise<Period | undefined> {
  const before = lte(periods.since, time);
  const [found] = await withBuilder(queries, (builder) =>
    builder.select().from(periods).where(before).orderBy(desc(periods.since)).limit(1),
  );
  return found;
}

/** Adds a period, or replaces the one that begins at the same time. */
export async function putPeriod(queries: Queries, period: Period): Promise<void> {
  await withBuilder(queries, (builder) =>
    builder.insert(periods).values(period).onConflictDoUpdate({ target: periods.since, set: period }),
  );
}

export async function removePeriod(queries: Queries, since: string): Promise<void> {
  await withBuilder(queries, (builder) => builder.delete(periods).where(eq(periods.since, since)));
}
