// Live mode in several tabs: a stream for each visible tab, the same requests, and a chart that continues between
// answers.
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chromiumPath, setClock } from '../browser.ts';
import { needs } from '../needs.ts';
import { browse, countStreams, now, otherService, panel, settled, storeLevel } from './browse.ts';

describe('live', needs('Chromium', chromiumPath), () => {
  const day = browse();

  it('has a stream for each live tab, and draws its points between two answers', async () => {
    const service = await otherService({ livePollMs: 100 });
    const streams = countStreams(service);
    const context = await day.browser.newContext();
    onTestFinished(() => context.close());
    await setClock(context, now() - Date.now());
    const tabs: Page[] = [];
    const inputs: string[] = [];
    for (let n = 0; n < 2; n++) {
      const page = await context.newPage();
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname.startsWith('/trpc/stats.series')) inputs.push(searchParams.get('input') ?? '');
      });
      await page.goto(`${service.url}/?from=now-15m&to=now`);
      await settled(page);
      tabs.push(page);
    }
    const readings = () => Promise.all(tabs.map((page) => page.locator('.now strong').innerText()));
    await expect.poll(() => storeLevel(service, -21.5).then(readings)).toEqual(Array(2).fill('−21.5'));
    expect(streams()).toBe(2);
    for (const input of inputs)
      expect(JSON.parse(input)[0]).toMatchObject({ to: expect.stringMatching(/:\d0\.000Z$/) });
    const [first] = tabs;
    if (!first) throw new Error('There is no tab');
    await first.route('**/trpc/stats.**', (route) => route.abort());
    await expect
      .poll(() => storeLevel(service, -12.5).then(() => panel(first, 'Level').innerText()), { interval: 300 })
      .toContain('highest level −12.5');
    const live = first.getByRole('button', { name: 'Live' });
    await live.click();
    await expect.poll(streams).toBe(1);
    for (const page of tabs.slice(1)) await page.close({ runBeforeUnload: false });
    await expect.poll(streams).toBe(0);
    await live.click();
    await expect.poll(streams).toBe(1);
    await first.close();
    await expect.poll(streams).toBe(0);
  });
});
