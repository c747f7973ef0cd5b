// Keeps what a release promised, in test/fixtures: `node test/releases/keep-release.ts`, at the commit of the release.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { documentOf, documentText, migrationsOf } from './kept-releases.ts';

const fixtures = new URL('../fixtures/', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

mkdirSync(fixtures, { recursive: true });
const keep = (name: string, text: string) =>
  writeFileSync(new URL(`${name}-${version}.json`, fixtures), text);
keep('openapi', documentText(await documentOf(version)));
keep('migrations', `${JSON.stringify(migrationsOf(), undefined, 2)}\n`);
