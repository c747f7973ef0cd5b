// Keeps what a release promised, in test/fixtures: `node test/releases/keep-release.ts`, at the commit of the release.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { openPostgres } from '../../src/db/postgres.ts';
import { createApp } from '../../src/http/app.ts';
import { createRollups } from '../../src/store/rollups-in-use.ts';
import { documentText, migrationsOf } from './kept-releases.ts';

const fixtures = new URL('../fixtures/', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const nowhere = { url: 'postgres://nobody@127.0.0.1:1/none', queryTimeoutMs: 1000, exportTimeoutMs: 1000 };
const db = openPostgres(nowhere); // the document asks no database
const app = await createApp({ db, rollups: createRollups(db), version });
const { payload } = await app.inject('/api/v1/openapi.json');
await app.close();
await db.close();

mkdirSync(fixtures, { recursive: true });
const keep = (name: string, text: string) =>
  writeFileSync(new URL(`${name}-${version}.json`, fixtures), text);
keep('openapi', documentText(JSON.parse(payload)));
keep('migrations', `${JSON.stringify(migrationsOf(), undefined, 2)}\n`);
