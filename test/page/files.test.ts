// The files of the page: small, safe, and kept by browsers.
import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mountPage } from '../../src/http/docs/page.ts';
import { startEmbeddedService } from '../client/embedded-service.ts';

describe('the files of the page', () => {
  it('are small, and kept for ever by the hash in their names', async () => {
    const service = await startEmbeddedService();
    onTestFinished(() => service.close());
    const response = await fetch(`${service.url}/`);
    const html = await response.text();
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'",
    );
    const assets = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.map((path) => path.replace(/^.*\./, '')).toSorted()).toEqual(['css', 'js']);
    let scripts = 0;
    for (const path of assets) {
      const file = await fetch(`${service.url}${path}`);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(path).toMatch(/-[\w-]{8}\.(js|css)$/);
      const body = Buffer.from(await file.arrayBuffer());
      if (path.endsWith('.js')) scripts += gzipSync(body).length;
    }
    expect(scripts).toBeLessThan(150_000);
  });
});

it('gives way to the reference where it was not built', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  mountPage(app, '/nowhere');
  const { statusCode, headers } = await app.inject('/');
  expect([statusCode, headers.location]).toEqual([302, '/docs']);
});
