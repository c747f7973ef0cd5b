// The messages and the look of the page in every state and theme. `looks.soak.ts` has more widths.
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { instantOf } from '../../src/contract/instant.ts';
import { parseLimits } from '../../src/contract/limits.ts';
import { explain } from '../../src/database/faults.ts';
import type { ApiKeys } from '../../src/http/edge/api-keys.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import { startBeside } from '../service.ts';
import {
  address,
  boxOf,
  browse,
  callsOf,
  chartOf,
  countStreams,
  END,
  HOUR,
  hide,
  iso,
  lastInput,
  now,
  otherService,
  panel,
  parameter,
  settled,
  storeLevel,
  tabOf,
} from './browse.ts';
import { LOOKS, looksFine, openAll, scrollsAlone, violationsOf } from './looks.ts';

describe('the states of the page', needs('Chromium', chromiumPath), () => {
  const day = browse();

  /** Adds up the layout shifts of a page. */
  const measureShifts = (page: Page) =>
    page.addInitScript(() => {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if ('value' in entry && 'hadRecentInput' in entry && !entry.hadRecentInput)
            Object.assign(globalThis, {
              shifted: Number(entry.value) + Number(Reflect.get(globalThis, 'shifted') ?? 0),
            });
      }).observe({ type: 'layout-shift', buffered: true });
    });
  const shiftedBy = (page: Page) => page.evaluate(() => Number(Reflect.get(globalThis, 'shifted') ?? 0));

  const stateOf = (page: Page) => page.getByRole('banner').getByRole('status').innerText();

  it("shows a service's first point and new points while visible, and stops listening when hidden", async () => {
    const other = await otherService({ livePollMs: 100 });
    await other.sql('truncate audio_data');
    const streams = countStreams(other);
    const page = await day.open('/?from=now-15m&to=now', { at: other, isSettled: false });
    const notice = page.getByText(/^Nothing is recorded yet/);
    await notice.waitFor();
    await expect.poll(() => stateOf(page)).toBe('Nothing recorded yet');
    await storeLevel(other, -21.5);
    await notice.waitFor({ state: 'detached' });
    await expect.poll(() => panel(page, 'Figures').innerText()).toMatch(/Maximum\s*\?\s*−21\.5/);
    const reading = page.locator('.now');
    const next = () => storeLevel(other, -21.5).then(() => reading.innerText()); // the last may be seconds old
    await expect.poll(next, { interval: 300 }).toMatch(/−21\.5\s*dBFS/);
    expect(await page.title()).toBe('Audio Metrics');
    await hide(page, true);
    await expect.poll(streams).toBe(0);
    await storeLevel(other, -5);
    expect(await reading.innerText()).not.toContain('−5.0');
    await hide(page, false);
    await expect
      .poll(() => storeLevel(other, -12.5).then(() => reading.innerText()), { interval: 300 })
      .toContain('−12.5');
    expect(streams()).toBe(1);
  });

  it('continues with the level now if the recorder restarts on another scale', async () => {
    const other = await otherService({ livePollMs: 100 });
    await other.sql('truncate audio_data');
    const begin = (reference: number, at: number) =>
      other.sql(`insert into audio_data_periods (since, weighting, reference_db, interval_ms, statistic)
        values ('${iso(at)}', 'A', ${reference}, 1000, 'leq')`);
    await begin(90, now() - 60_000);
    await other.sql(`insert into audio_data values ('${iso(now() - 30_000)}', -20, 440, false)`);
    const page = await day.open('/?from=now-15m&to=now', {
      at: other,
      isFine: false, // the stream ends at the new scale
      before: (page) => page.clock.install({ time: now() }),
    });
    const reading = () => page.locator('.now').innerText();
    const shown = (level: number) => () => storeLevel(other, level).then(reading);
    await expect.poll(shown(-20), { interval: 300 }).toMatch(/^70\.0\s*dB\(A\) now$/);
    await begin(100, now());
    await expect.poll(shown(-19), { interval: 300 }).toMatch(/^81\.0\s*dB\(A\) now$/);
    await page.clock.fastForward(30_000); // the panels ask again
    await page.getByText('recorded in 2 different ways').waitFor();
    await expect.poll(() => panel(page, 'Figures').innerText()).toMatch(/Maximum\s*\?\s*−19\.0\s*dB\b/);
  });

  it('shows the state of the station in its header: recording, silent, offline, without its database, without a service', async () => {
    const { db } = day.service;
    let [ahead, isAway, isRunning] = [0, false, false];
    const query: typeof db.query = (...args) =>
      isAway
        ? Promise.reject(explain(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })))
        : db.query(...args);
    const time = instantOf(now());
    const options = {
      db: { ...db, query },
      clock: () => now() + ahead,
      recorderOf: () => ({ running: isRunning, since: time, restarts: 0, last_exit: null }),
    };
    const at = await day.beside(options);
    onTestFinished(
      async () => void (await day.service.sql(`delete from audio_data where time >= '${time}'`)),
    );
    const page = await day.open('/', { at, isFine: false, width: 360, before: measureShifts });
    const state = () => stateOf(page);
    const recording = () => storeLevel(day.service, -21.5).then(state);
    await expect.poll(recording).toMatch(/^Recording \d?\d:\d\d:\d\d [AP]M$/);
    ahead = 60_000;
    await expect.poll(state).toMatch(/^Recorder offline since .*\d?\d:\d\d(:\d\d)? [AP]M$/);
    expect(await page.locator('.now').innerText()).toMatch(/^–/);
    isRunning = true;
    await expect.poll(state).toMatch(/^Recorder silent since /);
    expect(await shiftedBy(page)).toBeLessThan(0.02);
    ahead = 0;
    await expect.poll(recording).toMatch(/^Recording /);
    isAway = true;
    await expect.poll(state).toMatch(/^Database unreachable since /);
    isAway = false;
    await expect.poll(recording).toMatch(/^Recording /);
    await at.close();
    await expect.poll(state).toMatch(/^No connection since /);
    const again = await startBeside(day.service, options, Number(new URL(at.url).port));
    onTestFinished(() => again.close());
    await expect.poll(recording).toMatch(/^Recording /);
  });

  it('shows by how much the clock of the recorder is ahead, in place of offline or empty', async () => {
    const other = await otherService();
    await other.sql('truncate audio_data');
    const store = (ms: number) =>
      other.sql(`insert into audio_data values ('${iso(now() + ms)}', -5, 440, false)`);
    await store(300_000);
    const page = await day.open('/', { at: other });
    await expect.poll(() => stateOf(page)).toBe('Clock 5 min ahead');
    expect(await (await tabOf(page, 'Quality')).innerText()).toMatch(/1 point dated ahead, up to /);
    const list = await day.open('/stations/', { at: other, heading: 'Stations', isSettled: false });
    await list.getByRole('cell', { name: 'Clock 5 min ahead' }).waitFor();
    await store(-600_000);
    await list.getByRole('cell', { name: /^Clock 5 min ahead, \d/ }).waitFor();
  });

  it('starts with the 15 minutes that a fresh station has', async () => {
    const fresh = await otherService();
    await fresh.sql('truncate audio_data');
    await fresh.sql(`insert into audio_data select time, -30, 440, false
      from generate_series('${iso(now() - 300_000)}'::timestamptz, '${iso(now())}', interval '1 s') time`);
    const page = await day.open('/', { at: fresh });
    await page.getByRole('toolbar', { name: 'Range' }).getByRole('button', { name: '15 minutes' }).waitFor();
    const { from, to } = z
      .object({ from: z.string(), to: z.string() })
      .parse(await lastInput(page, 'stats.summary'));
    expect(Date.parse(to) - Date.parse(from)).toBe(900_000);
    expect(new URL(page.url()).search).toBe('');
  });

  it.each([1280, 360])('moves nothing while its first answers arrive, at %i px', async (width) => {
    const limits = parseLimits('06-22=59.8,22-06=54.3') ?? [];
    const at = await day.beside({ site: { timeZone: 'UTC', limits, calibrationOffsetDb: 94.3 } });
    const page = await day.open('/', {
      at,
      width,
      before: measureShifts,
    });
    await expect.poll(() => page.locator('.cards').innerText()).not.toContain('…');
    await page.getByText('Computing statistics').waitFor();
    expect(await shiftedBy(page)).toBeLessThan(0.02);
    // a deliberate shift, to prove that shifts are measured
    await page.evaluate(() => document.querySelector('main')?.prepend(document.createElement('canvas')));
    await expect.poll(() => shiftedBy(page)).toBeGreaterThan(0.02);
  });

  it('scrolls only vertically, passes axe, and has enough contrast, in light and dark', async () => {
    const page = await day.open(LOOKS, { width: 360 });
    await openAll(page);
    await scrollsAlone(page, [320, 768, 1440, 2560, 360]);
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      await settled(page);
      expect(await violationsOf(page), await tab.innerText()).toEqual([]);
    }
    await looksFine(page, [
      [360, 'light', 'none'],
      [1440, 'dark', 'none'],
      [1440, 'dark', 'active'],
    ]);
  });

  it('fades a panel whose answer is slow, unless the reader prefers no motion', async () => {
    const page = await day.open(address(END - HOUR));
    const content = panel(page, 'Level').locator('> :not(header)').first();
    const opacity = () => content.evaluate((element) => getComputedStyle(element).opacity);
    for (const reducedMotion of ['reduce', 'no-preference'] as const) {
      await page.emulateMedia({ reducedMotion });
      await content.evaluate((element) => {
        element.addEventListener('transitionend', () => element.setAttribute('data-faded', ''));
      });
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
      await page.route(/\/trpc\/.*stats\./, async (route) => {
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
      await page.unroute(/\/trpc\/.*stats\./);
      await settled(page);
    }
  });

  it("sends all requests at once, uses the reader's font size in charts, and aligns overlays with them", async () => {
    const boxesOf = async (script?: () => void) => {
      const before = script && ((page: Page) => page.addInitScript(script));
      const path = address(END - 2 * 24 * HOUR, END);
      const page = await day.open(path, before && { before });
      const [axis, plot, ...below] = await Promise.all(
        ['.u-axis >> nth=0', '.u-over >> nth=0', '.why-lane'].map((selector) => boxOf(page, selector)),
      );
      if (!axis || !plot) throw new Error('There is no chart');
      for (const { x, width } of below) {
        expect(Math.abs(x - plot.x)).toBeLessThan(1);
        expect(Math.abs(x + width - plot.x - plot.width)).toBeLessThanOrEqual(1); // the plot has whole pixels
      }
      return [page, axis.height] as const;
    };
    const [page, usual] = await boxesOf();
    const earlier = iso(END - 4 * 24 * HOUR).slice(0, 19);
    // the names in each request that has the new interval; the cards, the header and the icon follow the clock
    const requests: string[][] = [];
    page.on('request', (request) => {
      const ofInterval = callsOf(request.url()).filter(([, input]) =>
        JSON.stringify(input ?? null).includes(earlier),
      );
      if (ofInterval.length > 0) requests.push(ofInterval.map(([name]) => name));
    });
    await page.getByRole('button', { name: 'Earlier' }).click();
    await expect
      .poll(() => requests.flat().toSorted())
      .toEqual([...['stats.quality', 'stats.series', 'stats.summary', 'stats.why']]);
    await settled(page);
    expect(requests.length).toBeLessThanOrEqual(3);
    const [, larger] = await boxesOf(() => {
      const grow = () => {
        if (document.documentElement) document.documentElement.style.fontSize = '24px';
        else setTimeout(grow);
      };
      grow();
    });
    expect(larger).toBe(1.5 * usual);
  });

  it('reports trouble: no points yet, none in the interval, a wrong address', async () => {
    const page = await day.open(address(END - 100 * 24 * HOUR, END - 99 * 24 * HOUR));
    await page.getByText(/^There are no points from /).waitFor();
    await page.getByRole('button', { name: 'Show the newest' }).click();
    await settled(page);
    await expect.poll(() => parameter(page, 'to')).toBe(iso(END - 10_000 + 1));
    const wrong = await day.open('/?from=yesterday&live=maybe&threshold=7');
    await wrong.getByText('Wrong in the address: from, live.').waitFor();
    await wrong.getByRole('button', { name: 'Correct the address' }).click();
    expect(new URL(wrong.url()).search).toBe('');
  });

  it('asks for a key, and again if it is unknown; reports a recorder that is down and statistics that catch up', async () => {
    const keys: ApiKeys = {
      ownerOf: (key) => (key === 'right' ? { name: 'me' } : undefined),
    };
    const time = instantOf(now());
    const state = { running: false, since: time, restarts: 2, last_exit: { time, reason: 'exit code 1' } };
    const guarded = await day.beside({ keys, recorderOf: () => state });
    const page = await day.open('/', { at: guarded, isFine: false, isSettled: false });
    await page.getByText('This service needs a key.').waitFor();
    const field = page.getByLabel('Key', { exact: true });
    await field.fill('“wrong”');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByText(/^A key contains only letters, digits/).waitFor();
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
          expect.stringMatching(/^The recorder has been down since .* \(exit code 1\)\./),
          expect.stringMatching(/^Computing statistics for all points\./),
        ]),
      );
  });

  it('does not report a busy service as unreachable', async () => {
    const data = { code: 'SERVICE_UNAVAILABLE', httpStatus: 503 };
    const error = { message: 'Too many requests are waiting', code: -32603, data };
    const page = await day.open(address(END - HOUR, END), { isFine: false });
    await page.route('**/trpc/**', (route) => route.fulfill({ status: 503, json: { error } }));
    await page.reload();
    await page.getByText('The service is too busy right now.').first().waitFor();
    expect(await stateOf(page)).toBe('…');
  });

  it('recovers by itself when the service is back, and lets the reader retry after a timeout', async () => {
    const page = await day.open(address(END - HOUR, END), {
      isFine: false,
      before: (page) => page.clock.install(),
    });
    await page.route('**/trpc/**', (route) => route.fulfill({ status: 503, body: '' }));
    await page.getByRole('button', { name: 'Earlier' }).click();
    const isRepeated = page.getByText(/retries by itself/);
    await isRepeated.waitFor();
    await page.unroute('**/trpc/**');
    await page.clock.fastForward(10_000);
    await isRepeated.waitFor({ state: 'detached' });
    await settled(page);

    let timeouts = 0;
    const data = { code: 'GATEWAY_TIMEOUT', httpStatus: 504 };
    const error = { message: 'The query took longer than allowed', code: -32064, data };
    const ofStatistics = /\/trpc\/.*stats\./; // even if the request has other calls too
    await page.route(ofStatistics, (route) => {
      if (!/\/trpc\/stats\.limits\?/.test(route.request().url())) timeouts++; // the cards refetch each minute
      return route.fulfill({ status: 504, json: { error } });
    });
    await page.getByRole('button', { name: 'Earlier' }).click();
    const alert = panel(page, 'Level').getByRole('alert');
    await expect.poll(() => alert.innerText()).toBe('The answer took too long. Try again');
    await expect.poll(() => panel(page, 'Figures').getByRole('alert').count()).toBe(1);
    const before = timeouts; // in one request or two, on a busy machine
    await page.clock.fastForward(20_000); // longer than before any retry
    await page.evaluate(() => fetch('/trpc/stats.after')); // sent after everything requested by then
    expect(timeouts - before).toBe(1);
    await isRepeated.waitFor({ state: 'detached' });
    await page.unroute(ofStatistics);
    await alert.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await chartOf(page).waitFor();
    const focused = page.locator(':focus'); // on the button's replacement
    expect(await focused.getAttribute('aria-labelledby')).toBe(
      await panel(page, 'Level').getAttribute('aria-labelledby'),
    );
  });
});
