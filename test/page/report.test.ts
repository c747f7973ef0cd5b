// The report: the printed page.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import {
  address,
  browse,
  cellsOf,
  colourOf,
  END,
  eventsIn,
  HOUR,
  iso,
  otherService,
  panel,
  text,
  tilesFor,
  tilesOf,
} from './browse.ts';
import { violationsOf } from './looks.ts';

const PDF_TO_TEXT = '/usr/bin/pdftotext';
const DAY = 24 * HOUR;

describe('the report', needs('Chromium', chromiumPath), () => {
  const day = browse();

  // as many events as on a normal day, outside the gap
  beforeAll(() =>
    day.service.sql(`insert into audio_data
      select time + interval '5 s', -10 - extract(hour from time) / 4, 700, false
      from generate_series('${iso(END - DAY)}'::timestamptz, '${iso(END - HOUR)}', interval '30 min') time
      where time < '${iso(END - 8 * HOUR)}' or time >= '${iso(END - 7 * HOUR)}'`),
  );

  /** Presses the button, intercepts the print, and waits for it. */
  async function printReport(page: Page): Promise<void> {
    await page.evaluate(() => {
      globalThis.print = () => document.body.classList.add('printed');
    });
    await page.getByRole('button', { name: 'Report' }).click();
    await page.locator('body.printed').waitFor({ timeout: 240_000 });
  }

  /** What the browser does before it prints. */
  async function putOnPaper(page: Page): Promise<void> {
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  }

  async function pdfOf(page: Page): Promise<{ pages: number; words: string | undefined }> {
    const pdf = await page.pdf({ preferCSSPageSize: true });
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    const words = existsSync(PDF_TO_TEXT)
      ? execFileSync(PDF_TO_TEXT, ['-layout', '-', '-'], { input: pdf }).toString()
      : undefined;
    return { pages, words };
  }

  const cells = (page: Page, name: string) => cellsOf(panel(page, name).locator('table'));

  it('has the figures of the API, no controls and light colours even if the page is dark, and passes axe', async () => {
    const from = END - 2 * DAY;
    const page = await day.open(address(from, END, '&live=off&time_zone=UTC'), {
      scheme: 'dark',
    });
    const ofThese = async (operation: string) =>
      (await day.service.get(`/${operation}from=${iso(from)}&to=${iso(END)}`)).body;
    const isDark = async () => ((await colourOf(page, '--panel'))[0] ?? 0) < 128;
    expect(await isDark()).toBe(true);
    await printReport(page);
    await putOnPaper(page);
    const summary = await ofThese('stats/summary?');
    expect(await tilesOf(page.locator('.tiles > div'))).toEqual(tilesFor(summary));
    const events = eventsIn(await ofThese('stats/why?'), 'loudest');
    expect(events.length).toBeGreaterThan(20);
    expect(await cells(page, 'Loudest events')).toEqual(events.slice(0, 20));
    expect(await panel(page, 'Loudest events').innerText()).toContain(`20 of ${events.length} events`);
    const { days }: Outputs['stats']['days'] = await ofThese('stats/days?');
    expect((await cells(page, 'Lden')).map((row) => row.slice(0, 4))).toEqual(
      days.map(({ lday_db, levening_db, lnight_db, lden_db }) =>
        [lday_db, levening_db, lnight_db, lden_db].map(text),
      ),
    );
    expect(await isDark()).toBe(false);
    // the times of tables and the names of causes are buttons that look like text
    const controls =
      'button:not(td *, th *, .causes *):visible, input:visible, select:visible, summary:visible';
    expect(await page.locator(controls).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    // in one step, because later answers redraw the canvas
    const picture = await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas');
      if (!canvas) throw new Error('There is no chart');
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {
        data: [],
      };
      let dark = 0;
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] === 0) continue;
        if (data[at] === 0x0a && data[at + 1] === 0x2a && data[at + 2] === 0x66) dark++; // --leq of the light theme
      }
      return { density: canvas.width / canvas.getBoundingClientRect().width, dark };
    });
    expect(picture.density).toBeCloseTo(4, 2);
    expect(picture.dark).toBeGreaterThan(1000);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
    expect([await isDark(), await page.locator('.report').count()]).toEqual([true, 0]);
  });

  it('takes one page for a day, names the request for its figures, and sends none if the browser prints', async () => {
    const page = await day.open(address(END - DAY, END));
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await putOnPaper(page);
    expect(await cells(page, 'Loudest events')).toHaveLength(20);
    expect(requests.filter((url) => !url.endsWith('/trpc/service.info'))).toEqual([]); // refetched every minute
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({ media: null });
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    await printReport(page);
    const { pages, words } = await pdfOf(page);
    expect(pages).toBe(1);
    if (words !== undefined) {
      const text = words.replace(/\s+/g, ' ');
      expect(text).toContain('2 gaps, 1 h 10 s in total');
      expect(text).toContain('settings unknown');
      expect(text).not.toContain('API');
      expect(words.replace(/\s/g, '')).toContain(`${day.service.url}/?from=${iso(END - DAY)}&to=${iso(END)}`);
    }
  });

  it('has at most four pages for any interval, and states what it omits', async () => {
    const other = await otherService();
    await other.sql('truncate audio_data');
    // six gaps a day, and an event between two of them
    await other.sql(`insert into audio_data
      select time, -5, 500, false
      from generate_series('${iso(END - 40 * DAY)}'::timestamptz, '${iso(END - 600_000)}', interval '10 min') time
      where extract(hour from time)::int % 4 = 1`);
    const path = address(END - 40 * DAY, END, '&live=off&time_zone=UTC');
    const page = await day.open(path, { at: other, isSettled: false, isFine: false }); // an answer may take too long
    await printReport(page);
    const { pages } = await pdfOf(page);
    expect(pages).toBeGreaterThan(1);
    expect(pages).toBeLessThanOrEqual(4);
    await putOnPaper(page);
    const report = await page.locator('main').innerText();
    expect(report).toMatch(/the last 31 of 4[01]/); // 40 if the interval begins with a day
    expect(report).toMatch(/the 10 longest of [\d,]+/);
    expect((await cells(page, 'Lden')).length).toBeLessThanOrEqual(31);
    expect(report).toContain('Choose an interval of at most 31 days.');
  });
});
