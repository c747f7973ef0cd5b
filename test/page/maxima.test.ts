// Maxima of a time-weighted level: the page names them so, and shows no energy mean of them.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseLimits } from '../../src/contract/limits.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import { address, browse, chartOf, END, HOUR, iso, panel, tabOf, text, tilesOf } from './browse.ts';

const WHY =
  'Levels are maxima of windows of 10 s: their energy mean is not a Leq. For Leq, Lden and limits, record without --time-weighting.';

/** A mean that has a number beside or below it. */
const MEANS = /\b(Leq|SEL|Lden|Lday|Lnight)\b[^A-Za-z0-9–]*[−\d]/;

describe('maxima', needs('Chromium', chromiumPath), () => {
  const day = browse();
  const from = END - 2 * 24 * HOUR;

  beforeAll(() =>
    day.service.sql(`insert into audio_data_periods (since, weighting, time_weighting, reference_db, interval_ms, statistic)
      values ('${iso(END - 3 * 24 * HOUR)}', 'A', 'fast', 85, 10000, 'max')`),
  );

  const site = { timeZone: 'UTC', limits: parseLimits('06-22=59.8,22-06=54.3') ?? [] };

  it('have their name wherever a level appears, and the page explains the missing energy figures', async () => {
    const at = await day.beside({ site });
    const page = await day.open(address(from), { at });
    const { body: summary } = await at.get(`/stats/summary?from=${iso(from)}&to=${iso(END)}&levels=absolute`);
    expect((await tilesOf(panel(page, 'Figures').locator('dl > div'))).slice(0, 5)).toEqual([
      'Leq – dB(A)',
      ...['L10', 'L50', 'L90'].map((name) => `${name} ${text(summary[`${name.toLowerCase()}_db`])} dB(A)`),
      `LAFmax ${text(summary.max_db)} dB(A)`,
    ]);
    expect(await page.locator('.why').innerText()).toContain(WHY);
    for (const name of ['Figures', 'Events', 'Limits', 'Lden'])
      expect(await (await tabOf(page, name)).innerText()).toContain(WHY);
    expect(await panel(page, 'Level').locator('.legend').innerText()).toMatch(/LAFmax/);
    await chartOf(page).press('End');
    await expect
      .poll(() => page.locator('.chart .reading').innerText())
      .toMatch(/: LAFmax [\d.]+(, L10 [\d.]+, L90 [\d.]+)?, minimum [\d.]+, maximum [\d.]+ dB\(A\)/);
    expect(await allOf(page)).not.toMatch(MEANS);
  });

  it('are not called Leq in cards, in the list of stations, and on paper', async () => {
    const at = await day.beside({ site });
    const page = await day.open('/', { at });
    await expect.poll(() => page.locator('.cards').innerText()).toContain('Only maxima: no Leq');
    expect(await page.locator('.cards').innerText()).not.toMatch(MEANS);
    await page.goto(`${at.url}${address(from)}`);
    await page.evaluate(() => {
      globalThis.print = () => document.body.classList.add('printed');
    });
    await page.getByRole('button', { name: 'Report' }).click();
    await page.locator('body.printed').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const report = await allOf(page);
    expect(report).not.toMatch(MEANS);
    expect(report).toContain(WHY);
    expect(report).toMatch(/LAFmax [\d.]+ dB\(A\), measured/);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({ media: null });
    await page.goto(`${at.url}/stations/`);
    const row = page.locator('tbody tr');
    await expect.poll(() => row.locator('td').first().innerText()).toBe('only maxima: no Leq');
    await expect.poll(() => row.locator('.squares i[class]').count()).toBe(0);
  });

  const allOf = (page: Page) => page.locator('main').innerText();
});
