// Tells how long the database keeps points, and refuses those that it would remove.
import { compile } from '../../db/compile.ts';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/drizzle.ts';
import { instantText } from '../../db/statement-values.ts';
import { BadInput } from '../bad-input.ts';

const FIND = compile(sql`
  select raw_retention as retention, ${instantText(sql`(now() - nullif(raw_retention, 'off')::interval)`)} as since
  from audio_data_refreshes`).text;

/** @returns since when points stay, canonical; undefined if all do */
export async function retentionOf(db: Database): Promise<{ retention?: string; since?: string | undefined }> {
  const [found] = await db.transaction(({ run }) =>
    run<{ retention: string | null; since: string | null }>(FIND, []),
  );
  return found?.retention ? { retention: found.retention, since: found.since ?? undefined } : {};
}

/**
 * @param name of what begins at `start`, canonical
 * @throws BadInput if its points would be removed soon
 */
export async function assertKept(db: Database, name: string, start: string): Promise<void> {
  const { retention, since } = await retentionOf(db);
  if (since !== undefined && start < since)
    throw new BadInput(
      `${name} is not stored: it begins at ${start}, and points before ${since} are removed soon, as RAW_RETENTION is ${retention}. To keep it, set RAW_RETENTION to off, or store it in a station that keeps all: \`npm run station -- add NAME --raw-retention off\`, then --station NAME`,
    );
}
