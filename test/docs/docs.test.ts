// The API documentation at /docs, as a browser shows it.
import { describe, expect, inject, it } from 'vitest';
import { chromiumPath, openBrowser, visit } from '../browser.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { send, textOf } from '../http/raw.ts';
import { needs } from '../needs.ts';

const SUMMARIES = [
  'The most recent points',
  'The points of an interval',
  'Leq, L_N and extremes of a window',
  'The points above a level',
  'The points of an interval as a file',
  'The process answers',
  'The database answers',
];

describe('the documentation', () => {
  const service = openForAll(() => startSmallService());

  it('is HTML that loads nothing from other hosts', async () => {
    const response = await fetch(`${service.url}/docs`);
    const html = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(html.match(/(?:src|href)="?(?:https?:)?\/\/[^"\s>]+/g)).toBe(null);
  });

  it('may run only its own scripts, and be framed only by its own origin', async () => {
    for (const path of ['/docs', '/docs/', '/docs/scalar.js', '/docs/start.js']) {
      const { headers } = await fetch(`${service.url}${path}`, { redirect: 'manual' });
      const policy = headers.get('content-security-policy')?.split(';') ?? [];
      expect(policy).toEqual(
        expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'self'"]),
      );
      expect([headers.get('referrer-policy'), headers.get('x-content-type-options')]).toEqual([
        'no-referrer',
        'nosniff',
      ]);
    }
    const { headers } = await fetch(`${service.url}/api/v1/audio/latest`);
    expect([headers.get('content-security-policy'), headers.get('x-content-type-options')]).toEqual([
      null,
      'nosniff',
    ]);
  });

  it.each(['/', '/docs/', '/docs/scalar.js', '/docs/start.js', '/api/v1/openapi.json'])(
    'answers 304 for %s to a client that has it, in each encoding',
    async (path) => {
      const plain = textOf(await send(`${service.url}${path}`));
      for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
        const headers = { 'accept-encoding': coding };
        const first = await send(`${service.url}${path}`, headers);
        const { etag = '', 'content-encoding': sent = 'identity' } = first.headers;
        expect([first.status, first.headers['cache-control'], sent]).toEqual([200, 'no-cache', coding]);
        expect(first.headers.vary).toContain('accept-encoding');
        expect(textOf(first)).toBe(plain);
        const head = await send(`${service.url}${path}`, headers, 'HEAD');
        expect([head.status, head.headers['content-length']]).toEqual([200, `${first.body.length}`]);
        const again = await send(`${service.url}${path}`, { ...headers, 'if-none-match': etag });
        expect([again.status, again.headers.etag, again.body.length]).toEqual([304, etag, 0]);
      }
    },
  );

  it(
    'lists every operation in a browser and sends its requests only to the service, without an error',
    needs('Chromium', chromiumPath),
    async () => {
      await using browser = await openBrowser(inject('browser'));
      const { page, requests, complaints } = await visit(browser);
      await page.goto(`${service.url}/docs`);
      await page.getByRole('heading', { name: 'Audio Metrics' }).first().waitFor();
      for (const summary of SUMMARIES.toReversed()) {
        await page.getByRole('link', { name: summary }).first().click();
        await page.getByRole('heading', { name: summary, exact: true }).waitFor({ state: 'visible' });
      }
      expect(page.url()).toMatch(/\/docs\/?(#.*)?$/);

      await page.getByRole('button', { name: 'Test Request' }).first().click();
      const answer = page.waitForResponse((response) => response.url().includes('/audio/latest'));
      await page.getByRole('button', { name: /^Send/ }).first().click();
      expect((await answer).status()).toBe(200);
      await page.getByText('2026-01-01T00:00:02.000000Z').first().waitFor({ state: 'visible' });
      const elsewhere = requests.filter(
        (url) => !/^(data|blob):/.test(url) && !url.startsWith(`${service.url}/`),
      );
      expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
    },
  );
});
