// The version of the schema: which migrations this version has, and whether a database has them all.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { NotMigrated } from './faults.ts';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../drizzle', import.meta.url));

const Journal = z.object({ entries: z.array(z.object({ when: z.number() })) });

const Snapshot = z.object({
  tables: z.object({ 'public.audio_data': z.object({ columns: z.record(z.string(), z.unknown()) }) }),
});

/** @returns the columns of audio_data that the first migration makes; later ones add the others */
export function firstColumns(): string[] {
  const snapshot = readFileSync(`${MIGRATIONS_FOLDER}/meta/0000_snapshot.json`, 'utf8');
  return Object.keys(Snapshot.parse(JSON.parse(snapshot)).tables['public.audio_data'].columns);
}

/** The schema that lists the migrations of the default station; those of another are listed in its own. */
export const DEFAULT_JOURNAL = 'drizzle';

/** @returns SQL that reads when the newest migration was made that a journal lists */
export const newestAppliedIn = (journal: string) =>
  `select max(created_at) as newest from ${journal}.__drizzle_migrations`;

/** @returns when the newest migration of this version was made, in milliseconds since 1970 */
export function newestMigration(): number {
  const journal = Journal.parse(JSON.parse(readFileSync(`${MIGRATIONS_FOLDER}/meta/_journal.json`, 'utf8')));
  return Math.max(...journal.entries.map((entry) => entry.when));
}

/**
 * @param applied the answer to {@link newestAppliedIn}
 * @param what has the schema
 * @throws SERVICE_UNAVAILABLE where the database is older than `needed`. A newer one is fine: a new version
 *   migrates while the old one still serves.
 */
export function assertMigrated(applied: unknown, needed: number, what = 'The database'): void {
  if (applied !== null && Number(applied) >= needed) return;
  const state = applied === null ? 'has no schema' : 'has the schema of an older version';
  throw new NotMigrated(`${what} ${state}`);
}
