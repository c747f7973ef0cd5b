// Reads what stores the points, whether its rollups are in use, and the calibration checks of the microphone.
import type { ComparedCheck } from '../../contract/calibrations.ts';
import { compile, desc, getTableColumns, instantText, sql, withBuilder } from '../../database/drizzle.ts';
import { layoutAndRetention } from '../../database/layout-and-retention.ts';
import { tables } from '../../database/schema.ts';
import { refreshState } from '../../rollups/rollup-backlog.ts';
import type { Store } from '../../rollups/store.ts';

export async function storeInfo({ db, rollups }: Store) {
  const { state } = await rollups.check();
  const mayRead = state === 'in use' || state === 'unnoted';
  return {
    ...(await layoutAndRetention(db)),
    rollups: state,
    rollup_refresh: mayRead ? await refreshState(db) : null,
  };
}

const minuteOfHistory = compile(
  sql<{ since: string | null; until: string | null }>`
  select ${instantText(sql`min(bucket)`)} as since, ${instantText(sql`(max(bucket) + interval '1 minute')`)} as until
  from ${tables.history} where minutes = 1`,
  'span_of_history',
);

export async function historySpan({ db }: Store) {
  const [found] = await db.query(minuteOfHistory);
  return { points_since: found?.until ?? null, history_since: found?.since ?? null };
}

const { calibrations } = tables;
const { time, channel, offset_db } = calibrations;
const earlier = sql`lag(${offset_db}) over (partition by ${channel} order by ${time})`;
const drift_db = sql<number | null>`round((${offset_db} - ${earlier})::numeric, 6)::float8`.as('drift_db');

/** Newest first. */
export const calibrationChecks = ({ db }: Store, limit: number): Promise<ComparedCheck[]> =>
  withBuilder(db, (builder) =>
    builder
      .select({ ...getTableColumns(calibrations), drift_db })
      .from(calibrations)
      .orderBy(desc(time))
      .limit(limit),
  );
