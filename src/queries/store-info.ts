// What answers the questions: the database, how it stores points, and whether its rollups are in use.

import type { Store, WhyNot } from '../timescale/rollups-in-use.ts';
import { type Storage, storage } from '../timescale/storage.ts';

export async function storeInfo({
  db,
  rollups,
}: Store): Promise<Storage & { readonly rollups: 'in use' | WhyNot }> {
  const inUse = await rollups.inUse();
  return { ...(await storage(db)), rollups: inUse ? 'in use' : (rollups.whyNot() ?? 'none') };
}
