// Reads and writes how points were recorded: the rows of audio_data_periods.
import { type Period, PeriodSettings } from '../contract/periods.ts';
import { compile, parameter } from './compile.ts';
import type { Database, RunStatement } from './database.ts';
import { sql } from './drizzle.ts';
import { tables } from './schema.ts';
import { instantText } from './statement-values.ts';

const SETTINGS = PeriodSettings.keyof().options;

/** The columns as in {@link Period}, whatever the session's settings. */
export const periodColumns = sql`${instantText(sql`since`)} as since, ${sql.raw(SETTINGS.join(', '))}`;

const newest = compile(
  sql`select ${periodColumns} from ${tables.periods} order by audio_data_periods.since desc limit ${parameter('limit')}`,
  'newest_periods',
);

const newestOfPoints = compile(
  sql`select ${periodColumns}
    from (select *, lead(since, 1, 'infinity') over (order by since) as until from ${tables.periods}) as audio_data_periods
    where exists (select from ${tables.points} where time >= since and time < until)
    order by audio_data_periods.since desc limit ${parameter('limit')}`,
  'newest_periods_of_points',
);

/** Oldest first. */
export const ALL_PERIODS = compile(
  sql`select ${periodColumns} from ${tables.periods} order by audio_data_periods.since`,
);

const PUT = compile(sql`
  insert into ${tables.periods} (since, ${sql.raw(SETTINGS.join(', '))})
  values ($1, ${sql.raw(SETTINGS.map((_, index) => `$${index + 2}`).join(', '))})
  on conflict (since) do update set ${sql.raw(SETTINGS.map((name) => `${name} = excluded.${name}`).join(', '))}`).text;

/** Newest first. */
export function newestPeriods(db: Database, limit: number, signal?: AbortSignal): Promise<Period[]> {
  return db.query<Period>(newest, { limit }, signal);
}

/** Newest first, without the periods whose points are all deleted. */
export function newestPeriodsOfPoints(db: Database, limit: number, signal?: AbortSignal): Promise<Period[]> {
  return db.query<Period>(newestOfPoints, { limit }, signal);
}

/** Replaces a period that begins at the same time. */
export async function putPeriod(run: RunStatement, period: Period): Promise<void> {
  await run(PUT, [period.since, ...SETTINGS.map((name) => period[name])]);
}
