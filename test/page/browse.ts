// A browser on the page of a service with a day of points: shared by the tests of the page.
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import { createBandText, createLengthText } from '../../src/texts/quantity-text.ts';
import { openBrowser, type Visit, visit } from '../browser.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { startBeside, type TestOptions, type TestService } from '../service.ts';

export const HOUR = 3_600_000;
/** A Tuesday in UTC, on which each file's tests begin, so that they never cross a whole hour or midnight. */
const BEGIN = Date.parse('2026-05-12T12:05:00Z');
/** How far the tests' clock is ahead of the machine's, in milliseconds. */
let ahead = 0;
/** The current time of the services and the tabs of these tests: it begins at a fixed instant, and moves on. */
export const now = () => Date.now() + ahead;
/** A whole hour, some hours before the tests, so that the data under test does not move. */
export const END = Date.parse('2026-05-12T10:00:00Z');
export const iso = (ms: number) => new Date(ms).toISOString();
export const address = (from: number, to = END, more = '&live=off') =>
  `/?from=${iso(from)}&to=${iso(to)}${more}`;

/** A level as the page writes it. */
const one = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
export const text = (db: number | null) => (db === null ? '–' : one.format(db).replace('-', '−'));

/** A time as the page writes it, to the second, with the year if it is not this year. */
export function timeText(time: string | number, timeZone = 'UTC'): string {
  const at = new Date(time);
  const isOfThisYear = at.getUTCFullYear() === new Date(END).getUTCFullYear();
  return new Intl.DateTimeFormat('en-US', {
    ...(isOfThisYear ? {} : { year: 'numeric' }),
    ...{ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' },
    timeZone,
  }).format(at);
}

/** A day of points every 10 s, with a gap of an hour that contains a lone point, and a peak of one point. */
export async function storeDay(service: TestService): Promise<void> {
  await service.sql('truncate audio_data');
  await service.sql(`insert into audio_data
    select time, (-40 + 6 * sin(extract(epoch from time) / 900))::numeric(4, 2)::real, 100 + (extract(epoch from time)::bigint / 10 % 40) * 25,
      extract(minute from time) < 6
    from generate_series('${iso(END - 24 * HOUR)}'::timestamptz, '${iso(END - 10_000)}', interval '10 s') time
    where time < '${iso(END - 8 * HOUR)}' or time >= '${iso(END - 7 * HOUR)}'`);
  await service.sql(`insert into audio_data values
    ('${iso(END - 7.5 * HOUR)}', -20, 1000, false), ('${iso(END - 4 * HOUR + 5000)}', -3, 2000, false)`);
}

export const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
/** Chooses the tab of a table. */
export async function tabOf(page: Page, name: string): Promise<Locator> {
  await page.getByRole('tab', { name, exact: true }).click();
  await settled(page);
  return panel(page, name);
}

export const chartOf = (page: Page) => page.getByRole('application');

/** Waits until every panel has the answer to its last request. */
export async function settled(page: Page): Promise<void> {
  await chartOf(page).waitFor();
  await page.locator('.panel[aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** The value of a parameter of the address. */
export const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

/** A time of the address, in milliseconds since 1970. */
export const timeOf = (page: Page, name: 'from' | 'to') => Date.parse(parameter(page, name) ?? '');

/** `from` and `to` of the address, as written. */
export const rangeOf = (page: Page) => [parameter(page, 'from'), parameter(page, 'to')];

/** The length of the shown interval, in hours. */
export const lengthOf = (page: Page) => (timeOf(page, 'to') - timeOf(page, 'from')) / HOUR;

/** `from` and `to` of the address, in whole hours relative to the end of the day. */
export const hoursOf = (page: Page) =>
  [timeOf(page, 'from'), timeOf(page, 'to')].map((time) => Math.round((time - END) / HOUR));

export const openMenu = (page: Page) => page.getByRole('button', { name: 'Menu of the page' }).click();

/** The operations that a request has, each with its input. */
export function callsOf(url: string): (readonly [operation: string, input: unknown])[] {
  const { pathname, searchParams } = new URL(url);
  const input = JSON.parse(searchParams.get('input') ?? '{}');
  const names = pathname.split('/').at(-1)?.split(',') ?? [];
  return names.map((name, at) => [name, searchParams.has('batch') ? input[at] : input]);
}

/** The last input of an operation that the page requested. */
export async function lastInput(page: Page, operation: string): Promise<unknown> {
  const calls = (await page.requests()).flatMap((request) => callsOf(request.url()));
  return calls.findLast(([name]) => name === operation)?.[1];
}

/** Hides the tab, or shows it again. */
export const hide = (page: Page, hidden: boolean) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);

/** A colour of the style sheet as rendered: red, green and blue. */
export const colourOf = (page: Page, name: string): Promise<number[]> =>
  page.evaluate((name) => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = `var(${name})`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return (color.match(/\d+/g) ?? []).map(Number);
  }, name);

/** The position of an element on the page, in CSS pixels. */
export async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`There is no ${selector}`);
  return box;
}

/** Presses the mouse at one position, moves it to another, and releases it. */
export async function drag(
  page: Page,
  from: readonly [number, number],
  to: readonly [number, number],
  meanwhile = async () => {},
): Promise<void> {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 5 });
  await meanwhile();
  await page.mouse.up();
}

/** The file that a click on the page saves. */
export async function downloaded(page: Page, link: Locator): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  return await buffer(await download.createReadStream());
}

/** The cells of a table, by rows. */
export const cellsOf = (table: Locator) =>
  table
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map(({ innerText }) => innerText)),
    );

/** The tiles of figures, each in one line. */
export const tilesOf = async (tiles: Locator) =>
  (await tiles.allInnerTexts()).map((tile) =>
    tile
      .split(/[\n?]+/)
      .map((part) => part.trim())
      .join(' '),
  );

/** The tiles' text for a summary. */
export function tilesFor(summary: Outputs['stats']['summary']): string[] {
  const { leq_db, l10_db, l50_db, l90_db, max_db, silence_percent, dominant_frequency_hz } = summary;
  const levels = { Leq: leq_db, L10: l10_db, L50: l50_db, L90: l90_db, Maximum: max_db };
  return [
    ...Object.entries(levels).map(([name, level]) => `${name} ${text(level)} dBFS`),
    `Silence ${silence_percent?.toFixed(1)} %`,
    `Dominant ${dominant_frequency_hz?.toLocaleString('en-US')} Hz`,
    `Points ${summary.point_count.toLocaleString('en-US')}`,
  ];
}

/** The events in an answer of stats.why, newest or loudest first, as the page writes them beside their start. */
export function eventsIn({ parts }: Outputs['stats']['why'], order: 'newest' | 'loudest'): string[][] {
  const kinds: Record<string, string> = { bursts: 'bursts', event: 'single', passing: 'passing' };
  const events = parts.flatMap(({ episodes }) =>
    episodes.flatMap(({ kind, runs, band_main_hz }) =>
      runs.flatMap((run) => (kinds[kind] ? [{ ...run, band_main_hz, kind: kinds[kind] }] : [])),
    ),
  );
  const newest = events.toSorted((a, b) => Date.parse(b.from) - Date.parse(a.from));
  const loudest = newest.toSorted((a, b) => (b.max_db ?? 0) - (a.max_db ?? 0));
  return (order === 'newest' ? newest : loudest).map(({ from, to, max_db, band_main_hz, kind }) => [
    createLengthText('en-US')((Date.parse(to) - Date.parse(from)) / 1000),
    text(max_db),
    band_main_hz === null ? '–' : createBandText('en-US')(band_main_hz),
    kind,
  ]);
}

interface OpenOptions {
  readonly at?: TestService;
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  /** Whether the test fails if the page logs a fault. */
  readonly isFine?: boolean;
  /** Whether to wait for the page's panels. */
  readonly isSettled?: boolean;
  /** Prepares the tab before the page opens in it. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** The title of the page, which contains the place. */
  readonly heading?: string | RegExp;
}

/** Another service with its own points, until the test ends. */
export async function otherService(options: TestOptions = {}): Promise<TestService> {
  const service = await startSmallService({ clock: now, ...options });
  onTestFinished(() => service.close());
  return service;
}

/** @returns a function for the number of live streams that a service is sending */
export function countStreams({ app }: TestService): () => number {
  const open = new Set<ServerResponse>();
  app.server.on('request', ({ url }, response: ServerResponse) => {
    if (!url?.startsWith('/api/v1/audio/live')) return;
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  return () => open.size;
}

/** Stores a current point. */
export const storeLevel = ({ sql }: TestService, level: number) =>
  sql(`insert into audio_data values ('${iso(now())}', ${level}, 440, false)`);

/** A browser and a service with the day of points, for all tests of a `describe`. */
export function browse(store = storeDay, clock = now) {
  let browser: Browser;
  let service: TestService;
  let tab: Visit | undefined;
  beforeAll(async () => {
    ahead = BEGIN - Date.now();
    browser = await openBrowser(inject('browser'));
    service = await startSmallService({ clock, livePollMs: 100 });
    await store(service);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  return {
    get service() {
      return service;
    },
    get browser() {
      return browser;
    },
    /** Another service with the same points, until the test ends. */
    async beside(options: TestOptions): Promise<TestService> {
      const other = await startBeside(service, { clock, livePollMs: 100, ...options });
      onTestFinished(() => other.close());
      return other;
    },
    /**
     * Opens the page, which must load from no other host and log no fault. All tests share one tab, which keeps its
     * compiled scripts. A test gets its own tab if faults may occur or it uses another service.
     */
    async open(
      path = '/',
      {
        at = service,
        width = 1440,
        scheme = 'light',
        isFine = true,
        isSettled = true,
        before,
        heading = 'Audio Metrics',
      }: OpenOptions = {},
    ): Promise<Page> {
      const isShared = at === service && isFine && !before;
      const visited = (isShared && tab) || (await visit(browser, ahead));
      if (isShared) tab = visited;
      const { page } = visited;
      await page.setViewportSize({ width, height: 900 });
      // without motion, so that no check sees a half-faded element
      await page.emulateMedia({
        media: null,
        reducedMotion: 'reduce',
        forcedColors: null,
        colorScheme: scheme,
      });
      await before?.(page);
      onTestFinished(async () => {
        const [requests, complaints] = [visited.requests.splice(0), visited.complaints.splice(0)];
        if (isShared) await page.evaluate(() => [localStorage, sessionStorage].map((all) => all.clear()));
        else await page.close();
        expect(requests.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${at.url}/`))).toEqual(
          [],
        );
        if (isFine) expect(complaints).toEqual([]);
      });
      await page.goto(`${at.url}${path}`);
      await page.getByRole('heading', { name: heading }).waitFor();
      if (isSettled) await settled(page);
      return page;
    },
  };
}
