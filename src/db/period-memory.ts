// Keeps the periods of the points (audio_data_periods) in memory, so that an answer's scale costs no statement.
import type { Period } from '../contract/periods.ts';
import { compile } from './compile.ts';
import type { Database } from './database.ts';
import { sql } from './drizzle.ts';
import { periodColumns } from './periods.ts';

/** An expression that another value follows whenever a period changes. */
export const PERIODS_VERSION = sql`(
    select coalesce(string_agg(extract(epoch from since) || ' ' || xmin, ',' order by since), '') from audio_data_periods
  )`;

const all = compile(
  sql`select ${PERIODS_VERSION} as version, (
    select coalesce(json_agg(period order by period.since), '[]') from (select ${periodColumns} from audio_data_periods) as period
  ) as periods`,
  'all_periods',
);

export function createPeriodMemory() {
  let known: { version: string; periods: readonly Period[] } | undefined;
  return {
    /** Those of the last version that was seen, oldest first. */
    known: (): readonly Period[] => known?.periods ?? NONE,
    /**
     * Reads the periods again if a statement saw another version of them.
     *
     * @param version what {@link PERIODS_VERSION} gave
     * @returns whether those that are known are those that the statement saw
     */
    async see(db: Pick<Database, 'query'>, version: string): Promise<boolean> {
      if (known?.version === version) return true;
      const [found] = await db.query<{ version: string; periods: Period[] }>(all);
      known = found;
      return known?.version === version;
    },
  };
}

const NONE: readonly Period[] = [];
