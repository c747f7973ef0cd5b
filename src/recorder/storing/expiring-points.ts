// Recognises points that would expire soon.
import { BadInput } from '../../commands/input-files.ts';
import type { Database } from '../../database/database.ts';
import { compile, instantText, sql } from '../../database/drizzle.ts';
import { tables } from '../../database/schema.ts';

const FIND = compile(sql<{ retention: string; since: string | null }>`
  select raw_retention as retention, ${instantText(sql`(now() - nullif(raw_retention, 'off')::interval)`)} as since
  from ${tables.refreshes}`);

/** @param first the earliest time, canonical. @returns such as `points before T expire soon, because ...`, or undefined */
export async function expiryOf(db: Database, first: string): Promise<string | undefined> {
  const [found] = await db.transaction(({ query }) => query(FIND));
  return found?.since && first < found.since
    ? `points before ${found.since} expire soon, because RAW_RETENTION is ${found.retention}`
    : undefined;
}

/** @throws BadInput if points that begin at `start`, a canonical time, would expire soon */
export async function assertKept(db: Database, name: string, start: string): Promise<void> {
  const expiry = await expiryOf(db, start);
  if (expiry !== undefined)
    throw new BadInput(
      `${name} was not stored: it begins at ${start}, and ${expiry}. Set RAW_RETENTION to off, or use a station that keeps all points: \`npm run station -- add NAME --raw-retention off\`, then --station NAME`,
    );
}
