// Live over many tabs: one stream for all of them, the same questions, and a chart that goes on between answers.
import type { Page, Request } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import { browse, countStreams, otherService, panel, settled, storeLevel } from './browse.ts';

describe('live', needs('Chromium', chromiumPath), () => {
  const day = browse();

  it('follows one stream for all tabs of a browser, as long as one wants it', async () => {
    const service = await otherService({ livePollMs: 100 });
    const streams = countStreams(service);
    const context = await day.browser.newContext();
    onTestFinished(() => context.close());
    const tabs: Page[] = [];
    const inputs: string[] = [];
    for (let n = 0; n < 3; n++) {
      const page = await context.newPage();
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname.startsWith('/trpc/stats.series')) inputs.push(searchParams.get('input') ?? '');
      });
      await page.goto(`${service.url}/?from=now-15m&to=now`);
      await settled(page);
      tabs.push(page);
    }
    const readings = () => Promise.all(tabs.map((page) => panel(page, 'Now').locator('strong').innerText()));
    await expect.poll(() => storeLevel(service, -21.5).then(readings)).toEqual(Array(3).fill('−21.5'));
    expect(streams()).toBe(1);
    for (const input of inputs)
      expect(JSON.parse(input)[0]).toMatchObject({ to: expect.stringMatching(/:\d0\.000Z$/) });
    const live = tabs[0]?.getByLabel('Live');
    await live?.uncheck();
    for (const page of tabs.slice(1)) await page.close({ runBeforeUnload: false });
    await expect.poll(streams).toBe(0);
    await live?.check();
    await expect.poll(streams).toBe(1);
    await tabs[0]?.close();
    await expect.poll(streams).toBe(0);
  });

  it('follows by itself where browsers have no shared workers', async () => {
    const service = await otherService({ livePollMs: 100 });
    const streams = countStreams(service);
    let asked: Promise<Request> | undefined;
    const page = await day.open('/', {
      at: service,
      async before(page) {
        asked = page.waitForRequest(/audio\.live/);
        await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
      },
    });
    await asked; // by the page: what a shared worker asks for is not seen here
    const reading = panel(page, 'Now');
    await expect.poll(() => storeLevel(service, -21.5).then(() => reading.innerText())).toContain('−21.5');
    expect(streams()).toBe(1);
  });

  it('draws points as they stream in, between two answers', async () => {
    const service = await otherService({ livePollMs: 100 });
    const page = await day.open('/?from=now-15m&to=now', { at: service, isFine: false });
    await page.getByRole('checkbox', { name: 'As a table' }).check();
    await page.route('**/trpc/stats.**', (route) => route.abort());
    const level = panel(page, 'Level');
    await expect
      .poll(() => storeLevel(service, -21.5).then(() => level.innerText()), { interval: 300 })
      .toContain('−21.5');
  });
});
