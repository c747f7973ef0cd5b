// What the page tells and how it looks in every state and theme. `looks.soak.ts` has more widths.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import type { ApiKeys } from '../../src/http/edge/api-keys.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import {
  address,
  boxOf,
  browse,
  chartOf,
  countStreams,
  END,
  HOUR,
  iso,
  otherService,
  panel,
  parameter,
  settled,
  storeLevel,
} from './browse.ts';
import { foldOut, LOOKS, looksFine, scrollsAlone } from './looks.ts';

/** Without what the page asks for each 30 s. */
function askNothingAgain(): void {
  const repeat = globalThis.setInterval;
  globalThis.setInterval = Object.assign(
    (act: () => void, ms = 0) => repeat(ms < 30_000 ? act : () => {}, ms),
    repeat,
  );
}

describe('the states of the page', needs('Chromium', chromiumPath), () => {
  const day = browse();

  it('shows the first point of a service, what comes while it is seen, listens no more when it is hidden, and tells when the recorder is offline', async () => {
    const other = await otherService({ livePollMs: 100 });
    await other.sql('truncate audio_data');
    const streams = countStreams(other);
    const page = await day.open('/?from=now-15m&to=now', {
      at: other,
      before: async (page) => {
        await page.clock.install();
        await page.addInitScript(askNothingAgain);
      },
    });
    const notice = page.getByText(/^There are no points yet/);
    await notice.waitFor();
    await storeLevel(other, -21.5);
    await notice.waitFor({ state: 'detached' });
    await page.clock.setSystemTime(Date.now() + 10_000); // to the next step of the interval
    await expect.poll(() => panel(page, 'Figures').innerText()).toMatch(/Maximum\s*\?\s*−21\.5/);
    const reading = panel(page, 'Now');
    expect(await reading.innerText()).toMatch(/−21\.5\s*dBFS[\s\S]*440 Hz[\s\S]*sound/);
    const hide = (hidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await hide(true);
    await expect.poll(streams).toBe(0);
    await storeLevel(other, -5);
    expect(await reading.innerText()).not.toContain('−5.0');
    await hide(false);
    await expect
      .poll(() => storeLevel(other, -12.5).then(() => reading.innerText()), { interval: 300 })
      .toContain('−12.5');

    // offline from 10 s after the newest point until the next one
    const peak = page.locator('.meter .peak');
    const said = reading.getByRole('status');
    await page.clock.setSystemTime(Date.now() + 30_000);
    await expect.poll(() => said.innerText()).toMatch(/^Recorder offline since \d?\d:\d\d [AP]M$/);
    expect(await reading.innerText()).toMatch(/^–\s*dBFS\s*peak –\s*Recorder offline/);
    expect(await peak.count()).toBe(0);
    await page.clock.setSystemTime(Date.now());
    await storeLevel(other, -11.5);
    await expect.poll(() => reading.innerText()).toMatch(/^−11\.5\s*dBFS\s*Recording\s*peak −11\.5/);
    expect([await said.innerText(), await peak.count()]).toEqual(['', 1]);
  });

  it('scrolls down alone, and has nothing that axe finds wrong, and enough contrast, in light and dark', async () => {
    const page = await day.open(LOOKS, { width: 360 });
    await foldOut(page);
    await scrollsAlone(page, [320, 768, 1440, 2560, 360]);
    await looksFine(page, [
      [360, 'light', 'none'],
      [1440, 'dark', 'none'],
      [1440, 'dark', 'active'],
    ]);
  });

  it('fades a panel whose answer takes its time, unless the reader wants no motion', async () => {
    const page = await day.open(address(END - HOUR));
    const content = panel(page, 'Level').locator('> :not(header)').first();
    const opacity = () => content.evaluate((element) => getComputedStyle(element).opacity);
    for (const reducedMotion of ['reduce', 'no-preference'] as const) {
      await page.emulateMedia({ reducedMotion });
      await content.evaluate((element) => {
        element.addEventListener('transitionend', () => element.setAttribute('data-faded', ''));
      });
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
      await page.route('**/trpc/stats.**', async (route) => {
        await answered;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Earlier' }).click();
      await expect.poll(opacity).toBe('0.45');
      const faded = () => content.getAttribute('data-faded');
      if (reducedMotion === 'reduce') expect(await faded()).toBe(null);
      else await expect.poll(faded).toBe('');
      answer();
      await expect.poll(opacity).toBe('1');
      await page.unroute('**/trpc/stats.**');
      await settled(page);
    }
  });

  it('asks for all at once; writes in its charts as large as the reader reads, and lays over them what belongs there', async () => {
    const boxesOf = async (script?: () => void) => {
      const before = script && ((page: Page) => page.addInitScript(script));
      const page = await day.open(address(END - 2 * 24 * HOUR), before && { before });
      const [axis, plot, track, lane] = await Promise.all([
        boxOf(page, '.u-axis >> nth=0'),
        boxOf(page, '.u-over >> nth=0'),
        boxOf(page, '.track'),
        boxOf(page, '.lane'),
      ]);
      const edges = ({ x, y, width, height }: typeof plot) => [x, y, x + width, y + height].map(Math.round);
      expect(edges(track)).toEqual(edges(plot));
      expect(edges({ ...plot, y: lane.y, height: lane.height })).toEqual(edges(lane));
      return [page, axis.height] as const;
    };
    const [page, usual] = await boxesOf();
    const asked: string[][] = [];
    page.on('request', (request) => {
      const names = new URL(request.url()).pathname.slice('/trpc/'.length).split(',');
      if (names.join() !== 'service.info') asked.push(names); // that is asked by the clock
    });
    await page.getByRole('button', { name: 'Earlier' }).click();
    await expect
      .poll(() => asked.flat().toSorted())
      .toEqual([
        ...['events.list', 'events.series', 'events.top', 'stats.days', 'stats.frequencies', 'stats.quality'],
        ...['stats.series', 'stats.series', 'stats.summary'], // also by hour
      ]);
    await settled(page);
    expect(asked.length).toBeLessThanOrEqual(3);
    const [, larger] = await boxesOf(() => {
      const grow = () => {
        if (document.documentElement) document.documentElement.style.fontSize = '24px';
        else setTimeout(grow);
      };
      grow();
    });
    expect(larger).toBe(1.5 * usual);
  });

  it('tells what is the matter: no points yet, none in the interval, a wrong address', async () => {
    const page = await day.open(address(END - 100 * 24 * HOUR, END - 99 * 24 * HOUR));
    await page.getByText(/^There are no points from /).waitFor();
    await page.getByRole('button', { name: 'Show the newest' }).click();
    await page.getByText(/^Coverage/).waitFor();
    expect(parameter(page, 'to')).toBe(iso(END - 10_000 + 1));
    const wrong = await day.open('/?from=yesterday&threshold=7');
    await wrong.getByText('Wrong in the address: from, threshold.').waitFor();
    await wrong.getByRole('button', { name: 'Correct the address' }).click();
    expect(new URL(wrong.url()).search).toBe('');
    await wrong.reload(); // it opens on points of hours ago
    await expect
      .poll(() => panel(wrong, 'Now').getByRole('status').innerText())
      .toMatch(/^Recorder offline since (\w{3} \d+, )?\d?\d:\d\d [AP]M$/);
  });

  it('asks for a key, and for another if the service does not know it; says that the recorder is down and statistics catch up', async () => {
    const keys: ApiKeys = {
      ownerOf: (key) => (key === 'right' ? { name: 'me' } : undefined),
    };
    const time = instantOf(Date.now());
    const state = { running: false, since: time, restarts: 2, last_exit: { time, reason: 'exit code 1' } };
    const guarded = await day.beside({ keys, recorderOf: () => state });
    const page = await day.open('/', { at: guarded, isFine: false, isSettled: false });
    await page.getByText('This service asks for a key.').waitFor();
    const field = page.getByLabel('Key', { exact: true });
    await field.fill('“wrong”');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByText(/^A key has letters, digits/).waitFor();
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByText('The service does not know this key.').waitFor();
    await field.fill('right');
    await field.press('Enter');
    await settled(page);
    await page.reload();
    await settled(page);
    expect(await page.getByLabel('Key', { exact: true }).count()).toBe(0);
    await expect
      .poll(() => page.getByRole('status').allInnerTexts())
      .toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^The recorder is down since .* \(exit code 1\)\./),
          expect.stringMatching(/^Statistics are being counted for all points\./),
        ]),
      );
  });

  it('goes on by itself when the service is back, and leaves it to the reader to ask again for what took too long', async () => {
    const page = await day.open(address(END - HOUR, END), {
      isFine: false,
      before: (page) => page.clock.install(),
    });
    await page.route('**/trpc/**', (route) => route.fulfill({ status: 503, body: '' }));
    await page.getByRole('button', { name: 'Earlier' }).click();
    const isRepeated = page.getByText(/asks again by itself/);
    await isRepeated.waitFor();
    await page.unroute('**/trpc/**');
    await page.clock.fastForward(10_000);
    await isRepeated.waitFor({ state: 'detached' });
    await settled(page);

    let asked = 0;
    const data = { code: 'GATEWAY_TIMEOUT', httpStatus: 504 };
    const error = { message: 'The query took longer than is allowed', code: -32064, data };
    await page.route('**/trpc/stats.**', (route) => {
      asked++;
      return route.fulfill({ status: 504, json: { error } });
    });
    await page.getByRole('button', { name: 'Earlier' }).click();
    const alert = panel(page, 'Level').getByRole('alert');
    await expect.poll(() => alert.innerText()).toBe('The answer took too long. Ask again');
    await expect.poll(() => panel(page, 'Figures').getByRole('alert').count()).toBe(1);
    const before = asked; // in one request or two, on a busy machine
    await page.clock.fastForward(20_000); // longer than before any repetition
    await page.evaluate(() => fetch('/trpc/stats.after')); // is asked after whatever was asked by then
    expect([asked - before, await isRepeated.count()]).toEqual([1, 0]);
    await page.unroute('**/trpc/stats.**');
    await alert.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await chartOf(page).waitFor();
    const focused = page.locator(':focus'); // on what took the button's place
    expect(await focused.getAttribute('aria-labelledby')).toBe(
      await panel(page, 'Level').getAttribute('aria-labelledby'),
    );
    expect(await panel(page, 'Figures').getByRole('alert').count()).toBe(1);
  });
});
