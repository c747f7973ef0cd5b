// Reads the API of releases from test/fixtures, and that of this version.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openPostgres } from '../../src/database/postgres.ts';
import { createApp } from '../../src/http/app.ts';
import { createRollups } from '../../src/rollups/store.ts';
import { dereferenced } from '../openapi/document.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));

/** @returns the kept versions, oldest first */
export function keptVersions(): string[] {
  return readdirSync(FIXTURES)
    .flatMap((name) => /^openapi-(.+)\.json$/.exec(name)?.[1] ?? [])
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

export function keptDocument(version: string) {
  return JSON.parse(readFileSync(`${FIXTURES}openapi-${version}.json`, 'utf8'));
}

/** @returns the current code's document; needs no database */
export async function documentOf(version: string) {
  const nowhere = { url: 'postgres://nobody@127.0.0.1:1/none', queryTimeoutMs: 1000, exportTimeoutMs: 1000 };
  const db = openPostgres(nowhere);
  const app = await createApp({ db, rollups: createRollups(db), version });
  const answer = await app.inject('/api/v1/openapi.json');
  await app.close();
  await db.close();
  const { components, ...document } = answer.json();
  return { ...dereferenced(document, components), components };
}

/** @returns an OpenAPI document with one line per path and component, so that a diff shows the changed ones */
export function documentText(document: object): string {
  const levels: Record<string, number> = { paths: 2, components: 3 };
  const lines = Object.entries(document).map(([key, value]) => field(key, value, levels[key] ?? 1));
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** @param levels the depth down to which each field has its own line */
function field(key: string, value: object, levels: number): string {
  if (levels === 1) return `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  const lines = Object.entries(value).map(([name, inner]) => field(name, inner, levels - 1));
  return `${JSON.stringify(key)}: {\n${lines.join(',\n')}\n}`;
}
