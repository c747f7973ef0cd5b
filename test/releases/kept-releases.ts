// Reads what releases promised, in test/fixtures, and what this version does.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openPostgres } from '../../src/db/postgres.ts';
import { createApp } from '../../src/http/app.ts';
import { createRollups } from '../../src/store/rollups-in-use.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
export const MIGRATIONS = fileURLToPath(new URL('../../drizzle/', import.meta.url));

/** The hash of each migration, by its name. */
export type Migrations = Readonly<Record<string, string>>;

/** Drizzle's, with the migrations of these names alone where some are given. */
export function journalOf(tags?: readonly string[]): { entries: { tag: string }[] } {
  const journal: { entries: { tag: string }[] } = read(`${MIGRATIONS}meta/_journal.json`);
  return { ...journal, entries: journal.entries.filter(({ tag }) => tags?.includes(tag) ?? true) };
}

/** @returns those of this version, oldest first */
export function migrationsOf(): Migrations {
  const { entries } = journalOf();
  const hashOf = (tag: string) => createHash('sha256').update(readFileSync(`${MIGRATIONS}${tag}.sql`));
  return Object.fromEntries(entries.map(({ tag }) => [tag, hashOf(tag).digest('hex')]));
}

/** @returns the versions that are kept, oldest first */
export function keptVersions(): string[] {
  return readdirSync(FIXTURES)
    .flatMap((name) => /^migrations-(.+)\.json$/.exec(name)?.[1] ?? [])
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

export function keptMigrations(version: string): Migrations {
  return read(`${FIXTURES}migrations-${version}.json`);
}

export function keptDocument(version: string) {
  return read(`${FIXTURES}openapi-${version}.json`);
}

/** @returns that of this version, which asks no database */
export async function documentOf(version: string) {
  const nowhere = { url: 'postgres://nobody@127.0.0.1:1/none', queryTimeoutMs: 1000, exportTimeoutMs: 1000 };
  const db = openPostgres(nowhere);
  const app = await createApp({ db, rollups: createRollups(db), version });
  const answer = await app.inject('/api/v1/openapi.json');
  await app.close();
  await db.close();
  return answer.json();
}

/** @returns a document of OpenAPI with one line for each path and each component, so that a diff names what changed */
export function documentText(document: object): string {
  const levels: Record<string, number> = { paths: 2, components: 3 };
  const lines = Object.entries(document).map(([key, value]) => field(key, value, levels[key] ?? 1));
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** @param levels how many have a line for each of their fields */
function field(key: string, value: object, levels: number): string {
  if (levels === 1) return `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  const lines = Object.entries(value).map(([name, inner]) => field(name, inner, levels - 1));
  return `${JSON.stringify(key)}: {\n${lines.join(',\n')}\n}`;
}

function read(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
