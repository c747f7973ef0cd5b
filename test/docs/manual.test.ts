// The manual is usable and readable: its links work, and its sentences are short.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, blocksOf, linksOf, sentencesOf, wordsOf } from './markdown.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const MANUAL = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
const OTHERS = ['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'deploy/README.md', 'examples/README.md'];

/** Why a link in a page is dead, or undefined if it works. */
function brokenLink(page: string, link: string): string | undefined {
  if (/^(https?|mailto):/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
  if (target.startsWith('..') || !existsSync(join(ROOT, target))) return `${page}: ${link} is not there`;
  if (anchor === undefined || statSync(join(ROOT, target)).isDirectory()) return undefined;
  return anchorsOf(read(target)).includes(anchor) ? undefined : `${page}: ${link} has no such heading`;
}

describe('The manual', () => {
  it.each([...MANUAL, ...OTHERS])('has working links in %s', (page) => {
    const broken = linksOf(read(page)).flatMap((link) => brokenLink(page, link) ?? []);
    expect(broken).toEqual([]);
  });

  it('has a line for each page in its table of contents', () => {
    const contents = read('docs/README.md');
    const lines = contents.split('\n').filter((line) => /^- \[.+\]\(.+\.md\): \S/.test(line));
    const listed = lines.flatMap(linksOf).map((link) => join('docs', link));
    expect(listed.filter((path) => path.startsWith('docs/')).toSorted()).toEqual(
      MANUAL.filter((path) => path.startsWith('docs/') && path !== 'docs/README.md').toSorted(),
    );
  });

  it.each(MANUAL)('has no sentence over 35 words, paragraph over 100 or cell over 30 in %s', (page) => {
    const blocks = blocksOf(read(page));
    const long = blocks.flatMap(({ kind, text }) => [
      ...(wordsOf(text).length > (kind === 'cell' ? 30 : 100) ? [`${kind}: ${text}`] : []),
      ...sentencesOf(text)
        .filter((sentence) => wordsOf(sentence).length > 35)
        .map((sentence) => `sentence: ${sentence}`),
    ]);
    expect(long).toEqual([]);
  });

  it('lists every folder of src in CONTRIBUTING, and names only files that exist', () => {
    const pages = ['CONTRIBUTING.md', 'docs/explanation/architecture.md'].map(read);
    const folders = globSync('src/*/', { cwd: ROOT }).map((folder) => folder.slice('src/'.length));
    const [, rooms = ''] = pages[0]?.split(/^## Where things are$|^## Recipes$/m) ?? [];
    expect(rooms.match(/(?<=^\| `)[a-z]+/gm)?.toSorted()).toEqual(folders.toSorted());
    const named = pages.flatMap(
      (page) => page.match(/(?<=`)(src|test|docs|drizzle|bench)\/[\w./-]+(?=`)/g) ?? [],
    );
    const missing = named.filter(
      (path) => globSync(`${path.replace('GROUP/NAME', '**')}*`, { cwd: ROOT }).length === 0,
    );
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(50);
  });

  it('starts with a README of 10,000 characters at most', () => {
    expect(read('README.md').length).toBeLessThanOrEqual(10_000);
  });

  it('quotes messages exactly as the code prints them', () => {
    const source = globSync('src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
    const text = source.replace(/['`] \+\s+[`']/g, '').replaceAll('\\`', '`');
    const cells = read('docs/how-to/troubleshooting.md').matchAll(/^\| (`[^|]+`) \|/gm);
    const messages = Array.from(cells, ([, cell = '']) => cell.match(/(?<=`)[^`]+(?=`(,|$))/g) ?? []).flat();
    const unknown = messages.filter((message) => !message.split('…').every((part) => text.includes(part)));
    expect(unknown).toEqual([]);
    expect(messages.length).toBeGreaterThan(80);
  });

  it('has every page that code and configurations refer to', () => {
    const named = globSync('{src,examples,deploy}/**/*.{ts,tsx,service,yml,yaml}', { cwd: ROOT }).flatMap(
      (file) => Array.from(read(file).matchAll(/\bdocs\/[\w./-]+\.md/g), ([path]) => ({ file, path })),
    );
    expect(named.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });
});
