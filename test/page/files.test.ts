// The files of the page: small, safe, and cached by browsers.
import { cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mountFiles } from '../../src/http/docs/static-files.ts';
import { problemContent } from '../../src/http/problem.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { temporaryFolder } from '../process.ts';

const BUILT = join(import.meta.dirname, '../../dist-page');
const PROBLEM = 'application/problem+json';
const isScript = (path: string) => path.endsWith('.js');
const UNUSUAL = { 'if-match': '"x"', 'if-unmodified-since': new Date(0).toUTCString(), range: 'bytes=0-1' };

describe('the files of the page', () => {
  it('are small, and cached forever, because their names contain a hash', async () => {
    const service = await startSmallService();
    onTestFinished(() => service.close());
    const german = globSync('assets/de-*.js', { cwd: BUILT }).map((file) => `/${file}`);
    expect(german).toHaveLength(1);
    const files = new Set(german);
    for (const page of ['/', '/stations/']) {
      const response = await fetch(`${service.url}${page}`);
      const html = await response.text();
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';worker-src 'self';manifest-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'self'",
      );
      const assets = [...html.matchAll(/(?:src|href)="\.\.?(\/assets\/[^"]+)"/g)].map(
        ([, path = '']) => path,
      );
      expect(new Set(assets.map((path) => path.replace(/^.*\./, '')))).toEqual(new Set(['css', 'js']));
      for (const path of assets) files.add(path);
    }
    const year = globSync('assets/year-*.js', { cwd: BUILT }).map((file) => `/${file}`);
    const scripts = { first: 0, year: 0 };
    for (const path of [...files, ...year]) {
      const file = await fetch(`${service.url}${path}`, { headers: UNUSUAL });
      expect(file.status).toBe(200);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(path).toMatch(/-[\w-]{8}\.(js|css)$/);
      const body = Buffer.from(await file.arrayBuffer());
      if (isScript(path))
        scripts[year.includes(path) ? 'year' : 'first'] += gzipSync(body, { level: 9 }).length;
    }
    expect(globSync('assets/*.js', { cwd: BUILT })).toHaveLength([...files, ...year].filter(isScript).length);
    expect(scripts.first).toBeLessThan(100_000);
    expect(scripts.year).toBeLessThan(3_500); // loaded when a year is shown
    for (const path of ['/assets/none.js', '/index.html', '/stations/index.html', `${german[0]}.gzip`])
      expect((await fetch(`${service.url}${path}`)).headers.get('content-type')).toBe(PROBLEM);
  });
});

it('both pages can be put on a home screen', async () => {
  const service = await startSmallService();
  onTestFinished(() => service.close());
  for (const page of ['/', '/stations/']) {
    const html = await (await fetch(`${service.url}${page}`)).text();
    const [, link = ''] = /rel="manifest" href="([^"]+)"/.exec(html) ?? [];
    const manifest = await fetch(new URL(link, `${service.url}${page}`));
    expect(manifest.headers.get('content-type')).toBe('application/manifest+json');
    const { icons, start_url } = await manifest.json();
    expect(new URL(start_url, manifest.url).href).toBe(`${service.url}/`);
    for (const { src, sizes, type } of icons) {
      const icon = await fetch(new URL(src, manifest.url));
      const bytes = Buffer.from(await icon.arrayBuffer());
      const size = [16, 20].map((at) => bytes.readUInt32BE(at)).join('x');
      expect([icon.status, icon.headers.get('content-type'), size]).toEqual([200, type, sizes]);
    }
  }
});

it('a page that was never built, or was deleted, is answered with a problem that names the build command', async () => {
  const said: string[] = [];
  const stream = { write: (line: string) => void said.push(JSON.parse(line).msg) };
  const detail = 'The page, the reference and the manual are not built: `npm run page` builds them';
  const gone = temporaryFolder();
  cpSync(BUILT, gone, { recursive: true });
  for (const folder of [gone, `${gone}/never`]) {
    const app = Fastify({ logger: { level: 'warn', stream } });
    onTestFinished(() => app.close());
    app.setErrorHandler((error, request, reply) => {
      const { status, type, body, cacheControl } = problemContent(error, request, reply);
      reply
        .status(status ?? 200)
        .headers({ 'content-type': type, 'cache-control': cacheControl })
        .send(body);
    });
    mountFiles(app, folder);
    await app.ready();
    rmSync(folder, { recursive: true, force: true });
    for (const path of ['/', '/docs/']) {
      const answer = await app.inject(path);
      expect(answer.headers).toMatchObject({ 'content-type': PROBLEM, 'cache-control': 'no-store' });
      expect(answer.json()).toMatchObject({ status: 404, code: 'NOT_FOUND', detail });
    }
  }
  expect(said).toEqual([detail]);
});
