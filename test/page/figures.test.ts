// Every figure of the page equals the API's, and the chart hides no measurement.
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import {
  address,
  browse,
  cellsOf,
  colourOf,
  downloaded,
  END,
  eventsIn,
  HOUR,
  iso,
  now,
  panel,
  settled,
  tabOf,
  tilesFor,
  tilesOf,
  timeText,
} from './browse.ts';

describe('the figures of the page', needs('Chromium', chromiumPath), () => {
  const day = browse();

  it('shows the figures of the API for the interval, and draws gaps as gaps', async () => {
    const page = await day.open(address(END - 24 * HOUR, END));
    const ofTheDay = async (operation: string) => {
      const { body } = await day.service.get(`/${operation}from=${iso(END - 24 * HOUR)}&to=${iso(END)}`);
      return body;
    };
    const summary = await ofTheDay('stats/summary?');
    expect(await tilesOf(panel(page, 'Figures').locator('dl > div'))).toEqual(tilesFor(summary));
    const why: Outputs['stats']['why'] = await ofTheDay('stats/why?');
    const events = await tabOf(page, 'Events');
    const expected = eventsIn(why, 'newest');
    expect(expected.map(([, maximum]) => maximum)).toContain('−3.0');
    expect(await cellsOf(events.locator('table'))).toEqual(expected);
    expect(await events.locator('caption').innerText()).toBe(
      `${expected.length} of ${expected.length} ${expected.length === 1 ? 'event' : 'events'}, dBFS`,
    );
    const table = await tabOf(page, 'Quality');
    const quality = await ofTheDay('stats/quality?');
    expect([quality.gap_count, quality.gap_seconds]).toEqual([2, 3610]);
    expect(await table.locator('li').allInnerTexts()).toEqual([
      `Coverage ${quality.coverage_percent.toFixed(1)} %`,
      '2 gaps, 1 h 10 s in total',
      `${quality.at_floor_percent.toFixed(1)} % at the recorder’s floor`,
      'overload not reported by the recorder',
    ]);
    expect(await cellsOf(table.locator('table'))).toEqual(
      quality.gaps
        .toSorted((a: { seconds: number }, b: { seconds: number }) => b.seconds - a.seconds)
        .map(({ to, seconds }: { to: string; seconds: number }) => [
          timeText(to),
          seconds === 1810 ? '30 min 10 s' : '30 min',
        ]),
    );
    // without limits, the causes are those of the part that runs
    const part = why.parts.at(-1);
    const listed = part?.episodes.filter(
      ({ kind, share_percent }) => kind !== 'background' && share_percent >= 2,
    );
    expect(await page.locator('.causes strong').allInnerTexts()).toEqual(
      listed?.map(({ share_percent: share }) =>
        share < 9.95 ? `${share.toFixed(1)} %` : `${Math.round(share)} %`,
      ),
    );
    const drawn = await peaksDrawn(page, END - 24 * HOUR);
    expect(drawn(END - 7.25 * HOUR), 'the gap').toBe(Number.NEGATIVE_INFINITY);
    expect(drawn(END - 7.75 * HOUR), 'the gap').toBe(Number.NEGATIVE_INFINITY);
    expect(drawn(END - 12 * HOUR)).toBeGreaterThan(-50);
  });

  it('shows a lone point and a short peak even in 30 days', async () => {
    const from = END - 30 * 24 * HOUR;
    await peaksDrawn(await day.open(address(from, END)), from);
  });

  /** @returns a function: the highest level drawn near a time. Waits for the peak and the lone point first */
  async function peaksDrawn(page: Page, from: number): Promise<(time: number) => number> {
    await expect.poll(async () => Math.max(...(await levelsDrawn(page)))).toBeGreaterThan(-4);
    const columns = await levelsDrawn(page);
    const at = (time: number) => {
      const column = Math.floor(((time - from) / (END - from)) * columns.length);
      return Math.max(...columns.slice(Math.max(column - 2, 0), column + 3));
    };
    expect(at(END - 4 * HOUR), 'the peak').toBeGreaterThan(-4);
    expect(at(END - 7.5 * HOUR), 'the lone point').toBeGreaterThan(-22);
    return at;
  }

  /** The highest level of a dot, the band or the line in each pixel column of the chart. */
  async function levelsDrawn(page: Page): Promise<number[]> {
    const colours = await Promise.all(['--band', '--loudest', '--leq'].map((name) => colourOf(page, name)));
    return page.evaluate((colours) => {
      const canvas = document.querySelector('canvas');
      const over = document.querySelector('.chart .u-over');
      const context = canvas?.getContext('2d');
      if (!canvas || !over || !context) throw new Error('There is no chart');
      const [frame, area] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
      const [left, top] = [Math.round(area.left - frame.left), Math.round(area.top - frame.top)];
      const { data } = context.getImageData(left, top, area.width, area.height);
      const [width, height] = [Math.round(area.width), Math.round(area.height)];
      return Array.from({ length: width }, (_, x) => {
        for (let y = 0; y < height; y++) {
          const pixel = (y * width + x) * 4;
          const is = (colour: number[]) =>
            colour.every((part, i) => Math.abs((data[pixel + i] ?? 0) - part) < 12);
          if (colours.some(is)) return 2 - (y / height) * 54;
        }
        return Number.NEGATIVE_INFINITY;
      });
    }, colours);
  }

  it('offers the points as a file', async () => {
    const page = await day.open(address(END - HOUR));
    const link = page.getByRole('link', { name: 'CSV' });
    await expect.poll(() => link.getAttribute('title')).toBe('360 rows, about 17 kB');
    const { body: csv } = await day.service.get(`/export/csv?from=${iso(END - HOUR)}&to=${iso(END)}`);
    expect((await downloaded(page, link)).toString()).toBe(csv);
  });

  it('shows levels in the unit of their period, and reports a mix of periods', async () => {
    const { sql } = await day.beside({ site: { calibrationOffsetDb: 94.3 } });
    const period = (at: number, weighting: string, reference: number) =>
      sql(
        `insert into audio_data_periods (since, weighting, reference_db) values ('${iso(at)}', '${weighting}', ${reference})`,
      );
    onTestFinished(async () => void (await sql('truncate audio_data_periods')));
    await period(END - 24 * HOUR, 'A', 85);
    const page = await day.open(address(END - 24 * HOUR, END, ''), {
      at: await day.beside({}),
    });
    await expect.poll(() => panel(page, 'Figures').innerText()).toContain('82.0 dB(A)'); // the peak of -3
    expect(await panel(page, 'Level').innerText()).toContain('dB(A), per');
    expect(await (await tabOf(page, 'Events')).locator('caption').innerText()).toContain(', dB(A)');
    expect(await page.getByText('different ways').count()).toBe(0);

    await page.close(); // it would ask for absolute levels again, and be refused
    await period(END - 12 * HOUR, 'C', 100);
    const mixed = await day.open(address(END - 24 * HOUR), { at: await day.beside({}), isFine: false }); // absolute levels are refused
    await mixed.getByText('recorded in 2 different ways').waitFor();
    expect(await panel(mixed, 'Figures').innerText()).toMatch(/−3\.0\s+dB\b/);
  });

  it('requests absolute levels again if a recording period begins in a refused interval', async () => {
    const { sql } = day.service;
    const store = (...periods: readonly string[]) =>
      sql(`truncate audio_data_periods;
        insert into audio_data_periods (since, weighting, reference_db) values ${periods.join(', ')}`);
    onTestFinished(async () => void (await sql('truncate audio_data_periods')));
    const first = `('${iso(END - 24 * HOUR)}', 'A', 85)`;
    await store(first, `('${iso(END - 12 * HOUR)}', 'A', 100)`);
    const at = await day.beside({});
    const before = (page: Page) => page.clock.install({ time: now() });
    const page = await day.open(address(END - 24 * HOUR), { at, isFine: false, before });
    const legend = () => panel(page, 'Level').locator('.legend').innerText();
    expect(await legend()).toMatch(/^dB, per/m);
    await store(first, `('${iso(END - 6 * HOUR)}', 'A', 85)`);
    const info = page.waitForResponse(/service\.info/);
    await page.clock.fastForward(30_000);
    await info;
    await page.getByRole('button', { name: 'Earlier' }).click();
    await settled(page);
    await page.clock.fastForward(31_000); // the page forgets the answer
    await page.getByRole('button', { name: 'Later' }).click();
    await expect.poll(legend).toContain('dB(A), per');
  });
});
