// Reads and writes how points were recorded: the rows of audio_data_periods.
import { type Period, PeriodSettings } from '../contract/periods.ts';
import { compile, parameter } from './compile.ts';
import type { Database, RunStatement } from './database.ts';
import { sql } from './drizzle.ts';
import { instantText } from './statement-values.ts';

const SETTINGS = PeriodSettings.keyof().options;

/** The columns as in {@link Period}, whatever the session's settings. */
export const periodColumns = sql`${instantText(sql`since`)} as since, ${sql.raw(SETTINGS.join(', '))}`;

const newest = compile(
  sql`select ${periodColumns} from audio_data_periods order by audio_data_periods.since desc limit ${parameter('limit')}`,
  'newest_periods',
);

const newestOfPoints = compile(
  sql`select ${periodColumns}
    from (select *, lead(since, 1, 'infinity') over (order by since) as until from audio_data_periods) as audio_data_periods
    where exists (select from audio_data where time >= since and time < until)
    order by audio_data_periods.since desc limit ${parameter('limit')}`,
  'newest_periods_of_points',
);

/** Oldest first. */
export const ALL_PERIODS = compile(
  sql`select ${periodColumns} from audio_data_periods order by audio_data_periods.since`,
);

const PUT = `
  insert into audio_data_periods (since, ${SETTINGS.join(', ')})
  values ($1, ${SETTINGS.map((_, index) => `$${index + 2}`).join(', ')})
  on conflict (since) do update set ${SETTINGS.map((name) => `${name} = excluded.${name}`).join(', ')}`;

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
