// Reports what stores the points, for how long, and whether its rollups are in use.
import { layoutAndRetention } from '../../database/layout-and-retention.ts';
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
