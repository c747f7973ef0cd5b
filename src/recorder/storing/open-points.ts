// Opens the database to store or delete points, and refuses points that would expire soon.
import { BadInput } from '../../commands/input-files.ts';
import type { Database } from '../../database/database.ts';
import { compile, instantText, sql } from '../../database/drizzle.ts';
import { closedOnFault, isAway } from '../../database/faults.ts';
import { tables } from '../../database/schema.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { createSegmentStore } from './spool/segment-store.ts';

/** First stores the embedded database's spool: its points came earlier. Points that wait for a lease keep waiting. */
export async function openPoints(io: RecorderIo): Promise<Database & AsyncDisposable> {
  const db = await io.openDatabase(); // throws for the demo's folder, and for an unknown station
  async function storeWaiting(): Promise<void> {
    const storeAll = createSegmentStore(db, await io.openSpool(), io.progress);
    await storeAll().catch((error) => {
      if (!isAway(error)) throw error;
    });
  }
  if (io.database === 'embedded') await closedOnFault(storeWaiting(), db);
  return { ...db, [Symbol.asyncDispose]: () => db.close() };
}

const FIND = compile(sql<{ retention: string | null; since: string | null }>`
  select raw_retention as retention, ${instantText(sql`(now() - nullif(raw_retention, 'off')::interval)`)} as since
  from ${tables.refreshes}`);

/** @returns the time before which points expire, canonical; undefined if the database keeps all */
export async function retentionOf(db: Database): Promise<{ retention?: string; since?: string | undefined }> {
  const [found] = await db.transaction(({ query }) => query(FIND));
  return found?.retention ? { retention: found.retention, since: found.since ?? undefined } : {};
}

/** @throws BadInput if points that begin at `start`, a canonical time, would expire soon */
export async function assertKept(db: Database, name: string, start: string): Promise<void> {
  const { retention, since } = await retentionOf(db);
  if (since !== undefined && start < since)
    throw new BadInput(
      `${name} was not stored: it begins at ${start}, and points before ${since} expire soon, because RAW_RETENTION is ${retention}. Set RAW_RETENTION to off, or use a station that keeps all points: \`npm run station -- add NAME --raw-retention off\`, then --station NAME`,
    );
}
