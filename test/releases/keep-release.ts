// Keeps what a release promised, in test/fixtures: `node test/releases/keep-release.ts`, at the commit of the release.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { documentOf, documentText, keptMigrations, MIGRATIONS } from './kept-releases.ts';

const fixtures = new URL('../fixtures/', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

writeFileSync(new URL(`openapi-${version}.json`, fixtures), documentText(await documentOf(version)));
const isKept = (path: string) => !path.endsWith('_snapshot.json');
cpSync(MIGRATIONS, keptMigrations(version), { recursive: true, filter: isKept });
