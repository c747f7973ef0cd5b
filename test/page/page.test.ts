// The page at the root, as a browser shows it: every figure the API's, by mouse, by keyboard, in every state.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import type { AppOptions } from '../../src/http/app.ts';
import { mountPage } from '../../src/http/page.ts';
import { chromiumPath, openBrowser, visit } from '../browser.ts';
import { startEmbeddedService } from '../client/embedded-service.ts';
import type { TestService } from '../service.ts';

const HOUR = 3_600_000;
/** A whole hour, some hours ago: what the tests look at does not move. */
const END = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR;
const iso = (ms: number) => new Date(ms).toISOString();
const address = (from: number, to = END, more = '') => `/?from=${iso(from)}&to=${iso(to)}${more}`;

type NoiseEvent = Outputs['events']['list']['events'][number];

/** A level as the page writes it. */
const one = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const text = (db: number | null) => (db === null ? '–' : one.format(db).replace('-', '−'));

/** A day of points each 10 s; in it an hour without, a lone point in that, and a peak of one point. */
async function storeDay(service: TestService): Promise<void> {
  await service.sql('truncate audio_data');
  await service.sql(`insert into audio_data
    select time, (-40 + 6 * sin(extract(epoch from time) / 900))::numeric(4, 2)::real, 100 + (extract(epoch from time)::bigint / 10 % 40) * 25,
      extract(minute from time) < 6
    from generate_series('${iso(END - 24 * HOUR)}'::timestamptz, '${iso(END - 10_000)}', interval '10 s') time
    where time < '${iso(END - 8 * HOUR)}' or time >= '${iso(END - 7 * HOUR)}'`);
  await service.sql(`insert into audio_data values
    ('${iso(END - 7.5 * HOUR)}', -20, 1000, false), ('${iso(END - 4 * HOUR + 5000)}', -3, 2000, false)`);
}

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

describe.skipIf(!chromiumPath)('the page', () => {
  let browser: Browser;
  let service: TestService;
  beforeAll(async () => {
    browser = await openBrowser();
    service = await startEmbeddedService({ clock: Date.now, livePollMs: 100 });
    await storeDay(service);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Opens the page, which must ask nobody else, and must have nothing to complain of. */
  async function open(path = '/', { at = service, width = 1440, scheme = 'light', isFine = true } = {}) {
    const { page, requests, complaints } = await visit(browser);
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme as 'light' | 'dark' });
    onTestFinished(async () => {
      await page.close();
      expect(requests.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${at.url}/`))).toEqual(
        [],
      );
      if (isFine) expect(complaints).toEqual([]);
    });
    await page.goto(`${at.url}${path}`);
    await page.getByRole('heading', { name: 'Audio Metrics' }).waitFor();
    return page;
  }

  const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const chartOf = (page: Page) => page.getByRole('application');
  /** Every panel has the answer to what it asked last. */
  const settled = async (page: Page) => {
    await chartOf(page).waitFor();
    await page.locator('.panel[aria-busy=true]').first().waitFor({ state: 'detached' });
  };

  it('shows the figures of the API for the interval', async () => {
    const page = await open(address(END - 24 * HOUR, END, '&live=off&threshold=-22.5'));
    await settled(page);
    const { body: summary } = await service.get(`/stats/summary?from=${iso(END - 24 * HOUR)}&to=${iso(END)}`);
    const db = (level: number) => `${text(level)} dBFS`;
    const tiles = await panel(page, 'Figures').locator('dl > div').allInnerTexts();
    expect(tiles.map((text) => text.split(/\n+/).join(' '))).toEqual([
      `Leq ${db(summary.leq_db)}`,
      `L10 ${db(summary.l10_db)}`,
      `L50 ${db(summary.l50_db)}`,
      `L90 ${db(summary.l90_db)}`,
      `Maximum ${db(summary.max_db)}`,
      `Silence ${summary.silence_percent.toFixed(1)} %`,
      `Dominant ${summary.dominant_frequency_hz.toLocaleString('en-US')} Hz`,
      `Points ${summary.point_count.toLocaleString('en-US')}`,
    ]);
    const { body: list } = await service.get(
      `/events/list?threshold=-22.5&from=${iso(END - 24 * HOUR)}&to=${iso(END)}`,
    );
    const rows = await panel(page, 'Noise events').locator('tbody tr').allInnerTexts();
    expect(list.events.map(({ peak_db }: { peak_db: number }) => peak_db)).toEqual([-3, -20]);
    expect(rows.map((row) => row.split(/\s*\t\s*/).slice(1))).toEqual(
      list.events.map((event: NoiseEvent) => [
        `${event.duration_seconds < 10 ? event.duration_seconds.toFixed(1) : event.duration_seconds.toFixed(0)} s`,
        text(event.peak_db),
        text(event.leq_db),
        `${text(event.sel_db)}${event.sel_complete ? '' : '*'}`,
        `${event.dominant_frequency_hz?.toLocaleString('en-US')} Hz`,
      ]),
    );
    const { body: quality } = await service.get(`/stats/quality?from=${iso(END - 24 * HOUR)}&to=${iso(END)}`);
    expect([quality.gap_count, quality.gap_seconds]).toEqual([2, 3610]);
    expect(await panel(page, 'Quality').locator('li').allInnerTexts()).toEqual([
      `Coverage ${quality.coverage_percent.toFixed(1)} %`,
      '2 gaps, 1 h 10 s in all',
      `${quality.at_floor_percent.toFixed(1)} % at the floor of the recorder`,
    ]);
  });

  it('shows the same levels as a table, bucket by bucket', async () => {
    const page = await open(address(END - 6 * HOUR, END, '&live=off'));
    await settled(page);
    await page.getByRole('checkbox', { name: 'As a table' }).check();
    const call = panel(page, 'Level').getByRole('link', { name: /stats\/series/ });
    await page.getByLabel('API call of Level').click();
    const answer = await fetch((await call.getAttribute('href')) ?? '');
    const { buckets } = (await answer.json()) as Outputs['stats']['series'];
    const rows = await page
      .getByRole('region', { name: 'Levels as a table' })
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('td')].map(({ innerText }) => innerText)),
      );
    expect(rows).toEqual(
      buckets.map(({ leq_db, min_db, max_db, point_count }) => [
        ...[leq_db, min_db, max_db].map(text),
        String(point_count),
      ]),
    );
  });

  it('draws gaps as gaps, and shows a lone point and a short peak, also in 30 days', async () => {
    for (const [from, what] of [
      [END - 24 * HOUR, 'a day'],
      [END - 30 * 24 * HOUR, '30 days'],
    ] as const) {
      const page = await open(address(from, END, '&live=off&threshold=0'));
      await settled(page);
      await expect.poll(async () => Math.max(...(await levelsDrawn(page)))).toBeGreaterThan(-4);
      const columns = await levelsDrawn(page);
      const at = (time: number) => {
        const place = Math.floor(((time - from) / (END - from)) * columns.length);
        return Math.max(...columns.slice(Math.max(place - 2, 0), place + 3));
      };
      expect(at(END - 4 * HOUR), `the peak in ${what}`).toBeGreaterThan(-4);
      expect(at(END - 7.5 * HOUR), `the lone point in ${what}`).toBeGreaterThan(-22);
      if (what === '30 days') continue;
      expect(at(END - 7.25 * HOUR), 'the gap').toBe(Number.NEGATIVE_INFINITY);
      expect(at(END - 7.75 * HOUR), 'the gap').toBe(Number.NEGATIVE_INFINITY);
      expect(at(END - 12 * HOUR)).toBeGreaterThan(-50);
    }
  });

  /** The highest level that the band or the line has in each column of pixels of the chart. */
  function levelsDrawn(page: Page): Promise<number[]> {
    return page.evaluate(() => {
      const canvas = document.querySelector('canvas');
      const over = document.querySelector('.chart .u-over');
      const context = canvas?.getContext('2d');
      if (!canvas || !over || !context) throw new Error('There is no chart');
      const [frame, area] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
      const [left, top] = [Math.round(area.left - frame.left), Math.round(area.top - frame.top)];
      const { data } = context.getImageData(left, top, area.width, area.height);
      const styles = getComputedStyle(document.documentElement);
      const colours = ['--band', '--leq'].map((name) =>
        [1, 3, 5].map((at) =>
          Number.parseInt(
            styles
              .getPropertyValue(name)
              .trim()
              .slice(at, at + 2),
            16,
          ),
        ),
      );
      const width = Math.round(area.width);
      const height = Math.round(area.height);
      return Array.from({ length: width }, (_, x) => {
        for (let y = 0; y < height; y++) {
          const pixel = (y * width + x) * 4;
          const is = (colour: number[]) =>
            colour.every((part, i) => Math.abs((data[pixel + i] ?? 0) - part) < 12);
          if (colours.some(is)) return 2 - (y / height) * 54;
        }
        return Number.NEGATIVE_INFINITY;
      });
    });
  }

  it('keeps what it shows in the address: reload restores it, back undoes a zoom', async () => {
    const page = await open('/');
    await settled(page);
    await page.getByRole('button', { name: '6h' }).click();
    expect(new URL(page.url()).search).toBe('?from=now-6h&to=now');
    await page.reload();
    await settled(page);
    expect(await page.getByRole('button', { name: '6h' }).getAttribute('aria-pressed')).toBe('true');
    const box = await page.locator('.chart .u-over').boundingBox();
    if (!box) throw new Error('There is no chart');
    await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 5 });
    await page.mouse.up();
    const zoomed = new URL(page.url()).searchParams;
    const [from, to] = ['from', 'to'].map((name) => Date.parse(zoomed.get(name) ?? '')) as [number, number];
    expect((to - from) / HOUR).toBeCloseTo(1.5, 1);
    expect((Date.now() - from) / HOUR).toBeCloseTo(4.5, 1);
    await page.goBack();
    expect(new URL(page.url()).search).toBe('?from=now-6h&to=now');
    await settled(page);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?from=now-6h&to=now');
  });

  /** The level at which the middle of a slider is in the level chart. */
  const levelOf = async (page: Page, name: string) => {
    const [plot, box] = await Promise.all(
      [page.locator('.chart .u-over'), page.getByRole('slider', { name })].map((each) => each.boundingBox()),
    );
    if (!plot || !box) throw new Error(`There is no ${name}`);
    return 2 - ((box.y + box.height / 2 - plot.y) / plot.height) * 54;
  };

  it('has a threshold that is where its line is, and is dragged', async () => {
    const page = await open(address(END - HOUR, END, '&live=off&threshold=-22.7'));
    await settled(page);
    const threshold = 'Threshold of noise events';
    expect(await levelOf(page, threshold)).toBeCloseTo(-22.7, 0);
    const handle = await page.getByRole('slider').locator('span').boundingBox();
    const plot = await page.locator('.chart .u-over').boundingBox();
    if (!handle || !plot) throw new Error('There is no handle');
    const [x, y] = [handle.x + handle.width / 2, handle.y + handle.height / 2];
    await page.mouse.click(x, y);
    expect(new URL(page.url()).searchParams.get('threshold')).toBe('-22.7'); // and no half
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y + plot.height * (10 / 54), { steps: 4 });
    await page.mouse.up();
    await expect
      .poll(async () => Number(new URL(page.url()).searchParams.get('threshold')))
      .toBeCloseTo(-32.5, 0);
    expect(await levelOf(page, threshold)).toBeCloseTo(-32.5, 0);
  });

  it('has a map of frequencies that points at one time with the chart, and is dragged to zoom', async () => {
    const page = await open(address(END - 6 * HOUR, END, '&live=off'));
    await settled(page);
    const map = panel(page, 'Dominant frequencies');
    const box = await map.locator('.u-over').boundingBox();
    if (!box) throw new Error('There is no map');
    await map.scrollIntoViewIfNeeded();
    const { y = 0 } = (await map.locator('.u-over').boundingBox()) ?? {};
    const place = box.x + box.width * ((END - HOUR + 16.6 * 60_000 - (END - 6 * HOUR)) / (6 * HOUR));
    await page.mouse.move(place, y + box.height / 2);
    const height = async () => (await panel(page, 'Level').boundingBox())?.height;
    const unread = await height();
    await expect.poll(() => map.locator('.reading').innerText()).toMatch(/ Hz: \d+\.\d % of the points$/);
    const [time] = (await map.locator('.reading').innerText()).split(/, [\d,]+ Hz/);
    const level = await panel(page, 'Level').locator('.reading').innerText();
    expect(level).toMatch(/Leq/);
    expect(await height()).toBe(unread);
    const minutes = (text = '') => {
      const [, hour, minute] = /(\d?\d):(\d\d):\d\d/.exec(text) ?? [];
      return Number(hour) * 60 + Number(minute);
    };
    expect(Math.abs(minutes(level) - minutes(time))).toBeLessThanOrEqual(5);
    await page.mouse.down();
    await page.mouse.move(place + box.width / 12, y + 20, { steps: 5 });
    await page.mouse.up();
    const zoomed = new URL(page.url()).searchParams;
    const [from, to] = ['from', 'to'].map((name) => Date.parse(zoomed.get(name) ?? '')) as [number, number];
    expect((to - from) / HOUR).toBeCloseTo(0.5, 1);
    expect(from).toBeCloseTo(END - HOUR + 16.6 * 60_000, -5);
  });

  it('folds back what was folded out with Escape, and with a press elsewhere', async () => {
    const page = await open(address(END - HOUR, END, '&live=off'));
    await settled(page);
    const popup = page.locator('details.call[open]');
    const summary = page.getByLabel('API call of Figures');
    await summary.click();
    await popup.getByRole('button', { name: 'Copy as curl' }).focus();
    await page.keyboard.press('Escape');
    expect(await popup.count()).toBe(0);
    expect(await summary.evaluate((element) => element === document.activeElement)).toBe(true);
    await summary.click();
    await popup.locator('.popup').click({ position: { x: 3, y: 3 } });
    expect(await popup.count()).toBe(1);
    await page.getByRole('heading', { name: 'Audio Metrics' }).click();
    expect(await popup.count()).toBe(0);
  });

  it('keeps the times that its form shows, also in the hour that comes twice', async () => {
    const page = await open(address(END - HOUR, END, '&live=off'));
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Vienna' });
    const [from, to] = ['2025-10-26T01:30:15.250Z', '2025-10-26T03:00:00.000Z'];
    await page.goto(`${service.url}${address(Date.parse(from), Date.parse(to), '&live=off')}`);
    await settled(page);
    await page.locator('.any summary').click();
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2025-10-26T02:30:15');
    await page.getByLabel('To', { exact: true }).fill('2025-10-26T05:00:00');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect
      .poll(() => ['from', 'to'].map((name) => new URL(page.url()).searchParams.get(name)))
      .toEqual([from, '2025-10-26T04:00:00.000Z']);
  });

  it('goes on following what is new as long as what it shows ends now', async () => {
    const page = await open('/?from=now-1h&to=now');
    await settled(page);
    const range = () => ['from', 'to'].map((name) => new URL(page.url()).searchParams.get(name));
    const later = page.getByRole('button', { name: 'Later' });
    expect(await later.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await expect.poll(range).toEqual(['now-2h', 'now']);
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await expect.poll(range).toEqual(['now-1h', 'now']);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await settled(page);
    const box = await page.locator('.chart .u-over').boundingBox();
    if (!box) throw new Error('There is no chart');
    const drag = async (from: number, to: number, whileIt = async () => {}) => {
      await page.mouse.move(box.x + box.width * from, box.y + 50);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * to, box.y + 60, { steps: 5 });
      await whileIt();
      await page.mouse.up();
    };
    await drag(0.2, 0.6, async () => {
      await page.keyboard.press('Escape');
      await page.mouse.move(box.x + box.width * 0.65, box.y + 60);
    });
    expect(range()).toEqual(['now-2h', 'now']);
    expect(await page.locator('.chart .u-select').evaluate(({ clientWidth }) => clientWidth)).toBe(0);
    await drag(0.5, 1.05);
    await expect.poll(range).toEqual([expect.stringMatching(/^now-(1h|60m|\d{4}s)$/), 'now']);
    await settled(page);
    await page.getByRole('button', { name: 'Earlier' }).click();
    await expect.poll(() => range()[1]).toMatch(/Z$/);
    expect(await page.getByLabel('Live').locator('..').innerText()).toBe('Live: the level alone');
    expect(await later.isDisabled()).toBe(false);
  });

  it('zooms by a double click, and by the wheel with Ctrl, around the pointer', async () => {
    const page = await open(address(END - 8 * HOUR, END - 4 * HOUR, '&live=off'));
    await settled(page);
    const hours = () =>
      ['from', 'to'].map(
        (name) => (Date.parse(new URL(page.url()).searchParams.get(name) ?? '') - END) / HOUR,
      );
    const box = await page.locator('.chart .u-over').boundingBox();
    if (!box) throw new Error('There is no chart');
    await page.mouse.dblclick(box.x + box.width / 2, box.y + 50);
    await expect.poll(() => hours().map(Math.round)).toEqual([-10, -2]);
    await settled(page);
    await page.mouse.move(box.x + box.width / 4, box.y + 50);
    const steps = () => page.evaluate(() => history.state);
    const before = await steps();
    await page.keyboard.down('Control');
    for (let n = 0; n < 4; n++) await page.mouse.wheel(0, -50); // each to 1 / 2 ** 0.25
    await page.keyboard.up('Control');
    await expect.poll(() => hours().map(Math.round)).toEqual([-9, -5]);
    expect(await steps()).toBe(before + 1); // one step back undoes it
    await settled(page);
    const shown = page.url();
    await page.mouse.wheel(0, 50);
    await sleep(400);
    expect(page.url()).toBe(shown);
  });

  it('stays at the time that is pointed at while times move on, until it is left', async () => {
    const page = await open('/?from=now-10m&to=now');
    await settled(page);
    const chart = chartOf(page);
    const reading = panel(page, 'Level').locator('.reading');
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    const label = await chart.getAttribute('aria-label');
    const said = page.locator('.chart [aria-live=polite]');
    const read = await said.innerText();
    expect(read).toMatch(/: no points$/);
    expect(await reading.innerText()).toContain(read);
    await expect.poll(() => chart.getAttribute('aria-label'), { timeout: 15_000 }).not.toBe(label);
    await settled(page);
    expect(await reading.innerText()).toContain(read);
    expect(await said.innerText()).toBe(read);
    await page.keyboard.press('Escape');
    expect(await reading.innerText()).toMatch(/^Drag/);
    await page.keyboard.press('Home');
    expect(await reading.innerText()).not.toMatch(/^Drag/);
    await page.keyboard.press('Tab');
    expect(await reading.innerText()).toMatch(/^Drag/);
  });

  it('is panned and pinched by fingers', async () => {
    const page = await open(address(END - 8 * HOUR, END, '&live=off'), { width: 360 });
    await settled(page);
    const touch = (type: string, id: number, place: number) =>
      page.locator('.chart .u-over').evaluate(
        (area, { type, id, place }) => {
          const { left, top, width } = area.getBoundingClientRect();
          const at = { clientX: left + place * width, clientY: top + 40 };
          area.dispatchEvent(
            new PointerEvent(type, { pointerType: 'touch', pointerId: id, bubbles: true, ...at }),
          );
        },
        { type, id, place },
      );
    const hours = () =>
      ['from', 'to'].map(
        (name) => (Date.parse(new URL(page.url()).searchParams.get(name) ?? '') - END) / HOUR,
      );
    const before = page.url();
    await touch('pointerdown', 1, 0.25);
    await touch('pointermove', 1, 0.26); // trembles
    await touch('pointerup', 1, 0.26);
    await touch('pointerdown', 1, 0.25);
    await touch('pointermove', 1, 0.6);
    await touch('pointercancel', 1, 0.6); // the page is scrolled
    expect(page.url()).toBe(before);
    await touch('pointerdown', 1, 0.25);
    await touch('pointermove', 1, 0.75);
    await touch('pointerup', 1, 0.75);
    await expect.poll(() => hours().map(Math.round)).toEqual([-12, -4]);
    await settled(page);
    await touch('pointerdown', 1, 0.25);
    await touch('pointerdown', 2, 0.75);
    await touch('pointermove', 1, 0);
    await touch('pointermove', 2, 1);
    await touch('pointerup', 1, 0);
    await touch('pointerup', 2, 1);
    await expect.poll(() => hours().map(Math.round)).toEqual([-10, -6]);
  });

  it('says which thresholds there are', async () => {
    const page = await open(address(END - HOUR, END, '&live=off'));
    await settled(page);
    const field = page.getByLabel('Threshold, dBFS');
    await field.fill('12');
    await page.getByText('must be from -50 to 0').waitFor();
    await field.fill('-22.5');
    await expect.poll(() => new URL(page.url()).searchParams.get('threshold')).toBe('-22.5');
    expect(await page.getByText('must be from').count()).toBe(0);
    await page.getByLabel('above the background by').first().check();
    await expect.poll(() => new URL(page.url()).searchParams.get('above_background')).toBe('15');
    expect(await page.getByRole('slider').count()).toBe(0);
  });

  it('is used by keyboard alone', async () => {
    const page = await open(address(END - 24 * HOUR, END, '&live=off'));
    await settled(page);
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement as HTMLElement | null;
        return element?.getAttribute('aria-label') ?? element?.innerText ?? '';
      });
    const seen: string[] = [];
    const tabTo = async (name: RegExp) => {
      for (let n = 0; n < 60; n++) {
        await page.keyboard.press('Tab');
        seen.push(await focused());
        if (name.test(seen.at(-1) ?? '')) return;
      }
      expect.fail(`Tab does not lead to ${name}: ${seen.join(', ')}`);
    };
    await tabTo(/^Level chart/);
    await page.keyboard.press('Home');
    const reading = page.locator('.chart [aria-live=polite]');
    const first = await reading.innerText();
    expect(first).toMatch(/Leq −\d\d\.\d, minimum −\d\d\.\d, maximum −\d\d\.\d dBFS$/);
    await page.keyboard.press('ArrowRight');
    expect(await reading.innerText()).not.toBe(first);
    const interval = () =>
      ['from', 'to'].map((name) => Date.parse(new URL(page.url()).searchParams.get(name) ?? ''));
    await page.keyboard.press('End');
    await page.keyboard.press('+');
    await expect.poll(() => interval().reduce((from, to) => to - from)).toBe(12 * HOUR);
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => interval()[1]).toBeLessThan(END - 2.9 * HOUR);
    await page.keyboard.press('-');
    await expect.poll(() => interval().reduce((from, to) => to - from)).toBe(24 * HOUR);
    await tabTo(/^Threshold/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('PageDown');
    await expect.poll(() => new URL(page.url()).searchParams.get('threshold')).toBe('-15.5');
    await tabTo(/^Noise events as a table/);
    await tabTo(/^[^–]+ \d?\d:\d\d:\d\d [AP]M$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => interval().reduce((from, to) => to - from)).toBeLessThan(HOUR);
    expect(seen.join()).toMatch(/CSV/);
  });

  it('shows what comes while it is seen, and listens no more when it is hidden', async () => {
    const other = await startEmbeddedService({ clock: Date.now, livePollMs: 100 });
    onTestFinished(() => other.close());
    const page = await open('/?from=now-15m&to=now', { at: other });
    const ended: string[] = [];
    page.on('requestfailed', (request) => ended.push(request.url()));
    const store = (level: number) =>
      other.sql(`insert into audio_data values ('${iso(Date.now())}', ${level}, 440, false)`);
    const reading = page.getByRole('region', { name: 'Now' });
    await expect
      .poll(
        async () => {
          await store(-21.5);
          return reading.innerText();
        },
        { timeout: 10_000, interval: 300 },
      )
      .toMatch(/−21\.5\s*dBFS[\s\S]*440 Hz[\s\S]*sound/);
    const hide = (hidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await hide(true);
    await expect.poll(() => ended.some((url) => url.includes('audio.live'))).toBe(true);
    await store(-5);
    await sleep(500);
    expect(await reading.innerText()).not.toContain('−5.0');
    await hide(false);
    await expect
      .poll(
        async () => {
          await store(-12.5);
          return reading.innerText();
        },
        { timeout: 10_000, interval: 300 },
      )
      .toContain('−12.5');
  });

  it.each(['light', 'dark'])(
    'has nothing that axe finds wrong, and enough contrast, in %s',
    async (scheme) => {
      const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
      for (const width of [360, 1440]) {
        const page = await open(address(END - 25 * HOUR, END, '&live=off&threshold=-25'), { width, scheme });
        await settled(page);
        await page.getByRole('checkbox', { name: 'As a table' }).check();
        await page.getByLabel('API call of Level').click();
        await page.evaluate(axe);
        const found = await page.evaluate(async () => {
          // biome-ignore lint/suspicious/noExplicitAny: what was just put there
          const { violations } = await (globalThis as any).axe.run();
          return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [
            id,
            ...nodes.map(({ html }) => html),
          ]);
        });
        expect(found, `at ${width} px`).toEqual([]);
        const contrast = await page.evaluate(() => {
          const styles = getComputedStyle(document.documentElement);
          const luminance = (name: string) => {
            const hex = styles.getPropertyValue(`--${name}`).trim();
            const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
              const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
              return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          return [
            ['band', 'panel'],
            ['leq', 'panel'],
            ['leq', 'band'],
            ['threshold', 'panel'],
            ['event', 'panel'],
            ['gap', 'grid'],
            ['heat', 'heat-none'],
            ['meter', 'heat-none'],
          ].map(([a = '', b = '']) => {
            const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
            return { pair: `${a} on ${b}`, ratio: (light + 0.05) / (dark + 0.05) };
          });
        });
        expect(contrast.filter(({ ratio }) => ratio < 3)).toEqual([]);
      }
    },
  );

  it.each([360, 768, 1440, 2560])('scrolls down alone at %i px', async (width) => {
    const page = await open(address(END - 4 * 24 * HOUR, END, '&live=off&threshold=-25'), { width });
    await settled(page);
    await panel(page, 'Days').waitFor();
    await page.getByRole('checkbox', { name: 'As a table' }).check();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  it('gives the points as a file, the chart as a picture, and each call as curl and TypeScript', async () => {
    const page = await open(address(END - HOUR, END, '&live=off'));
    await settled(page);
    const link = page.getByRole('link', { name: /^CSV/ });
    await expect.poll(() => link.innerText()).toBe('CSV 360 rows, about 17 kB');
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const { body } = await service.get(`/export/csv?from=${iso(END - HOUR)}&to=${iso(END)}`);
    expect(readFileSync(await file.path(), 'utf8')).toBe(body);
    const [picture] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Chart as PNG' }).click(),
    ]);
    const png = readFileSync(await picture.path());
    expect([png.subarray(1, 4).toString(), png.readUInt32BE(16) > 1000]).toEqual(['PNG', true]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByLabel('API call of Figures').click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect
      .poll(copied)
      .toBe(`curl '${service.url}/api/v1/stats/summary?from=${iso(END - HOUR)}&to=${iso(END)}'`);
    // an address of a local network has no clipboard
    await page.evaluate(() =>
      Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true }),
    );
    await page.getByRole('button', { name: 'Copy as TypeScript' }).click();
    await page.evaluate(() => Reflect.deleteProperty(navigator, 'clipboard'));
    await expect.poll(copied).toBe(`import { createClient } from 'audio-metrics';

const client = createClient('${service.url}');
const answer = await client.stats.summary.query({
  from: '${iso(END - HOUR)}',
  to: '${iso(END)}'
});
`);
  });

  it('tells what is the matter: no points yet, none in the interval, a wrong address', async () => {
    const page = await open(address(END - 100 * 24 * HOUR, END - 99 * 24 * HOUR));
    await page.getByText(/^There are no points from /).waitFor();
    await page.getByRole('button', { name: 'Show the newest' }).click();
    await page.getByText(/^Coverage/).waitFor();
    expect(new URL(page.url()).searchParams.get('to')).toBe(iso(END - 10_000 + 1));
    const wrong = await open('/?from=yesterday&threshold=7');
    await wrong.getByText('Wrong in the address: from, threshold.').waitFor();
    await wrong.getByRole('button', { name: 'Correct the address' }).click();
    expect(new URL(wrong.url()).search).toBe('');
    const other = await startEmbeddedService({ clock: Date.now });
    onTestFinished(() => other.close());
    await other.sql('truncate audio_data');
    const empty = await open('/', { at: other });
    await empty.getByText(/^There are no points yet/).waitFor();
  });

  it('shows years by days, and cuts an interval that ends ahead at now', async () => {
    const page = await open(address(END - 700 * 24 * HOUR, END, '&live=off'), { width: 360 });
    await settled(page);
    expect(await page.getByRole('alert').filter({ hasText: 'must' }).count()).toBe(0);
    await page.locator('.any summary').click();
    const local = (ms: number) => iso(ms).slice(0, 19);
    await page.getByLabel('From', { exact: true }).fill(local(END - HOUR));
    await page.getByLabel('To', { exact: true }).fill(local(END + 1000 * HOUR));
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe(iso(END - HOUR));
    expect(Date.parse(new URL(page.url()).searchParams.get('to') ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('tells since when the recorder has been silent', async () => {
    const page = await open('/');
    await page.getByText(/^Recorder silent for \d+ h/).waitFor();
  });

  it('asks for a key where the service does, and for another where it does not know it', async () => {
    const keys: AppOptions['keys'] = { nameOf: (key) => (key === 'right' ? 'me' : undefined) };
    const guarded = await startEmbeddedService({ clock: Date.now, keys });
    onTestFinished(() => guarded.close());
    const page = await open('/', { at: guarded, isFine: false });
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
    await page
      .getByText(/^Coverage|^There are no points from/)
      .first()
      .waitFor();
    await page.reload();
    await page
      .getByText(/^Coverage|^There are no points from/)
      .first()
      .waitFor();
    expect(await page.getByLabel('Key', { exact: true }).count()).toBe(0);
  });

  it('tells that the service is away, and goes on by itself when it is back', async () => {
    const page = await open(address(END - HOUR, END), { isFine: false });
    await settled(page);
    await page.route('**/trpc/**', (route) => route.fulfill({ status: 503, body: '' }));
    await page.getByRole('button', { name: 'Earlier' }).click();
    await page.getByText(/This page asks again by itself/).waitFor();
    await page.unroute('**/trpc/**');
    await page.getByText(/This page asks again by itself/).waitFor({ state: 'detached', timeout: 30_000 });
  });

  it('shows dB SPL where the microphone is calibrated', async () => {
    const calibrated = await startEmbeddedService({ clock: Date.now, calibrationOffsetDb: 94.3 });
    onTestFinished(() => calibrated.close());
    await storeDay(calibrated);
    const page = await open(address(END - 24 * HOUR, END, '&live=off'), { at: calibrated });
    await settled(page);
    await expect.poll(() => panel(page, 'Figures').innerText()).toContain('91.3 dB SPL');
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toBe('84.3 dB SPL');
    const field = page.getByLabel('Threshold, dB SPL');
    await field.fill('80.1');
    await expect.poll(() => new URL(page.url()).searchParams.get('threshold')).toBe('-14.2');
  });
});
