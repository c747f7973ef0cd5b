// Keeps a release's API in test/fixtures: run `node test/releases/keep-release.ts` at its commit.
import { readFileSync, writeFileSync } from 'node:fs';
import { documentOf, documentText } from './kept-releases.ts';

const fixtures = new URL('../fixtures/', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

writeFileSync(new URL(`openapi-${version}.json`, fixtures), documentText(await documentOf(version)));
