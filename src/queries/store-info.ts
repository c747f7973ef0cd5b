// Says what holds the points, for how long, and whether its rollups are in use.
import type { InfoOutput } from '../contract/service.ts';
import { layoutAndRetention } from '../db/layout-and-retention.ts';
import { refreshState } from '../store/rollup-backlog.ts';
import type { Store } from '../store/store.ts';

export async function storeInfo({ db, rollups }: Store) {
  const inUse = await rollups.inUse();
  const state: InfoOutput['rollups'] = inUse ? 'in use' : (rollups.whyNot() ?? 'none');
  return { ...(await layoutAndRetention(db)), rollups: state, rollup_refresh: await refreshState(db) };
}
