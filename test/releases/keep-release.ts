// Keeps a release's API and migrations in test/fixtures: run `node test/releases/keep-release.ts` at its commit.
import { readFileSync, writeFileSync } from 'node:fs';
import { documentOf, documentText, migrations } from './kept-releases.ts';

const fixtures = new URL('../fixtures/', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

writeFileSync(new URL(`openapi-${version}.json`, fixtures), documentText(await documentOf(version)));
const lines = migrations().map((migration) => JSON.stringify(migration));
writeFileSync(new URL(`migrations-${version}.json`, fixtures), `[\n${lines.join(',\n')}\n]\n`);
