// The manual as the service serves it.
import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const service = openForAll(() => startSmallService());

it('has a page for each file, reachable from its contents, and no dead links', async () => {
  const pages = new Map<string, string>();
  const links = new Set<string>();
  const open = ['/manual/'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const response = await fetch(`${service.url}${path}`, { redirect: 'manual' });
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      200,
      'text/html; charset=utf-8',
    ]);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await response.text();
    pages.set(path, html);
    for (const [, href = ''] of html.matchAll(/<a href="([^"]*)"/g)) {
      if (href.startsWith('http')) continue;
      const { pathname, hash } = new URL(href, response.url);
      links.add(`${pathname}${hash}`);
      if (pathname.startsWith('/manual')) open.push(pathname);
    }
  }
  const files = globSync('**/*.md', { cwd: DOCS, exclude: ['make/**', 'README.md'] });
  expect(files.length).toBeGreaterThan(30);
  for (const file of files) expect([...pages.keys()]).toContain(`/manual/${file.replace(/md$/, 'html')}`);
  for (const link of links) {
    const [page = '', anchor] = link.split('#');
    if (anchor !== undefined) expect(pages.get(page), link).toContain(` id="${anchor}"`);
  }
  expect(links).toContain('/docs/');
});

it('shows the text of a page, without links to files outside the manual', async () => {
  const html = await (await fetch(`${service.url}/manual/how-to/export.html`)).text();
  expect(html).toContain('<title>Export points and statistics – Audio Metrics</title>');
  expect(html).toContain('<a href="../reference/files.html#parquet">Files</a>');
  expect(html).toContain('<td><code>application/vnd.apache.parquet</code></td>');
  const upgrade = await (await fetch(`${service.url}/manual/how-to/upgrade.html`)).text();
  expect(upgrade).not.toMatch(/<a href="[^"]*CHANGELOG/);
});

it('is linked from the API document and from the page', async () => {
  const { body } = await service.get('/openapi.json');
  expect(body.info.description).toContain('`/manual`');
  for (const path of ['/manual', '/manual/']) expect((await fetch(`${service.url}${path}`)).status).toBe(200);
});

it.each(['/', '/docs', '/manual', '/manual/how-to/export.html'])(
  'has one icon with the rest of the service: %s names it',
  async (path) => {
    const page = await fetch(`${service.url}${path}`);
    const [, icon = ''] = /<link rel="icon" href="([^"]*)"/.exec(await page.text()) ?? [];
    const { url, headers } = await fetch(new URL(icon, page.url));
    expect([url, headers.get('content-type')]).toEqual([`${service.url}/icon.svg`, 'image/svg+xml']);
  },
);
