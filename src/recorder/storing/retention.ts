// Tells how long the database keeps points.
import { compile } from '../../db/compile.ts';
import type { Database } from '../../db/database.ts';
import { sql } from '../../db/drizzle.ts';
import { instantText } from '../../db/statement-values.ts';

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
