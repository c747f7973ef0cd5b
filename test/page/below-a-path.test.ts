// A service that a proxy serves below a path, like `location /noise/` of nginx or the ingress of Home Assistant.
import { describe, expect, inject, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { chromiumPath, openBrowser, visit } from '../browser.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';
import { needs } from '../needs.ts';
import { startNginxBelow } from '../nginx.ts';
import { findProgram } from '../program.ts';
import { now, openMenu, settled, storeLevel } from './browse.ts';

const program = findProgram('nginx') ?? '';
const DAY = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';

describe('below a path of nginx', needs('nginx', program), () => {
  const service = openForAll(() => startSmallService({ clock: now, livePollMs: 100 }));
  const nginx = openForAll(async () => {
    const { url, stop } = await startNginxBelow(program, '/noise/', service.url);
    return { url: `${url}/noise`, close: stop };
  });
  const linkOf = ({ headers, url }: Response, rel: string) => {
    const [, link] = new RegExp(`<([^>]*)>; rel="${rel}"`).exec(headers.get('link') ?? '') ?? [];
    return link === undefined ? undefined : new URL(link, url).href;
  };

  it('links lead to the next page and to the document, whose server answers', async () => {
    let [next, points]: [string | undefined, unknown[]] = [
      `${nginx.url}/api/v1/audio/range?${DAY}&limit=1`,
      [],
    ];
    while (next) {
      const response: Response = await fetch(next);
      const page = await response.json();
      points = points.concat(page.points);
      next = linkOf(response, 'next');
    }
    expect(points).toEqual((await service.get(`/audio/range?${DAY}`)).body.points);
    const address = `${nginx.url}/api/v1/openapi.json`;
    for (const path of [
      '/api/v1/stats/summary',
      '/api/v1/audio/latest?limit=0',
      '/api/v1/no/such/one',
      '/api/no',
      '/no/',
    ])
      expect(linkOf(await fetch(`${nginx.url}${path}`), 'service-desc'), path).toBe(address);
    const { servers } = await (await fetch(address)).json();
    const server = new URL(servers[0].url, address).href;
    expect((await fetch(`${server}/health/live`)).url).toBe(`${nginx.url}/api/v1/health/live`);
  });

  it('the typed client sends its requests there', async () => {
    const client = createClient(nginx.url);
    const answers = [client.health.live.query(), client.audio.latest.query({ limit: 1 })];
    expect(await Promise.all(answers)).toMatchObject([{ status: 'ok' }, { points: [{ rms_db: -1.5 }] }]);
  });

  it('a reader opens the page, the manual and the reference', needs('Chromium', chromiumPath), async () => {
    await using browser = await openBrowser(inject('browser'));
    const { page, requests, complaints } = await visit(browser, now() - Date.now());
    await page.goto(`${nginx.url}/`);
    await settled(page);
    const reading = () => page.locator('.now').innerText();
    await expect.poll(() => storeLevel(service, -21.5).then(reading)).toContain('−21.5');
    await openMenu(page);
    await page.getByRole('link', { name: 'Manual', exact: true }).click();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('button', { name: 'Test Request' }).first().click();
    const answer = page.waitForResponse((response) => response.url().includes('/audio/latest'));
    await page.getByRole('button', { name: /^Send/ }).first().click();
    expect((await answer).url()).toContain(`${nginx.url}/api/v1/audio/latest`);
    expect((await answer).status()).toBe(200);
    const elsewhere = requests.filter(
      (url) => !/^(data|blob):/.test(url) && !url.startsWith(`${nginx.url}/`),
    );
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
  });
});
