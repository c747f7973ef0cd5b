import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXAMPLES } from './run.ts';

const text = readFileSync(new URL('README.md', EXAMPLES), 'utf8');

it('names each example in the README, and has no dead links', () => {
  const files = readdirSync(EXAMPLES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map(({ name }) => name);
  expect(files.length).toBeGreaterThan(8);
  const missing = files.filter(
    (name) => !/^(README\.md|package(-lock)?\.json)$/.test(name) && !text.includes(name),
  );
  expect(missing).toEqual([]);
  const links = Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, link = '']) => link);
  expect(links.filter((link) => !existsSync(new URL(link, EXAMPLES)))).toEqual([]);
});
