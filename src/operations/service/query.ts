// Reads what stores the points, whether its rollups are in use, and the calibration checks of the microphone.

import type { ComparedCheck } from '../../contract/calibrations.ts';
import { checkColumns } from '../../database/calibrations.ts';
import { compile, parameter } from '../../database/compile.ts';
import { sql } from '../../database/drizzle.ts';
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

const newest = compile(
  sql`
  select ${checkColumns},
    round((offset_db - lag(offset_db) over (partition by channel order by audio_data_calibrations.time))::numeric, 6)::float8 as drift_db
  from ${tables.calibrations} order by audio_data_calibrations.time desc limit ${parameter('limit')}`,
  'calibration_checks',
);

/** Newest first. */
export function calibrationChecks({ db }: Store, limit: number): Promise<ComparedCheck[]> {
  return db.query<ComparedCheck>(newest, { limit });
}
