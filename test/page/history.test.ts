// Where points end: intervals that reach into history, of which only the sums of minutes are left.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { inWholeMinutes } from '../../src/page/state/shown-interval.ts';
import { removeOldPoints } from '../../src/rollups/raw-retention.ts';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import type { TestService } from '../service.ts';
import {
  address,
  browse,
  chartOf,
  END,
  HOUR,
  lastInput,
  otherService,
  panel,
  settled,
  tabOf,
} from './browse.ts';

const UNTIL = Date.parse('2026-05-11T00:00:00Z');
const LINE = 'Points before May 11, 12:00 AM are gone: only the sums of their minutes are left.';

/** Four days of points every 12 s, with a loud minute in each hour. The first two days and a half are history. */
async function storeHistory({ sql }: TestService): Promise<void> {
  await sql('truncate audio_data');
  await sql(`insert into audio_data select time, case when extract(epoch from time)::bigint % 3600 / 60 = 7 then -12 else -40 end, 1000, false
    from generate_series('2026-05-08T12:00:00Z'::timestamptz, '2026-05-12T09:59:48Z', interval '12 s') time`);
  await refreshRollups(sql, 100_000);
  await sql(`update audio_data_refreshes
    set raw_retention = (now() - '${new Date(UNTIL + HOUR).toISOString()}')::text, removed_until = '2026-05-11Z'`);
  await removeOldPoints(sql, 0);
  await refreshRollups(sql, 100_000);
}

const linesOf = (page: Page) => page.getByText(LINE);

describe('where points end', needs('Chromium', chromiumPath), () => {
  const days = browse(storeHistory);

  it('is said beside the chart and in each list, and events are missing only before that', async () => {
    const page = await days.open(address(UNTIL - 10 * HOUR + 30_500, END));
    expect(await lastInput(page, 'stats.summary')).toMatchObject({ from: '2026-05-10T14:00:00.000Z' });
    expect(await panel(page, 'Level').getByText(LINE).count()).toBe(1);
    expect(await page.getByRole('link', { name: 'CSV' }).getAttribute('title')).toBe(LINE);
    expect(await page.getByRole('region', { name: /^Why/ }).getByText(LINE).count()).toBe(1);
    for (const tab of ['Figures', 'Pitch', 'Events']) {
      expect(await (await tabOf(page, tab)).getByText(LINE).count(), tab).toBe(1);
    }
    expect(await panel(page, 'Events').locator('tbody tr').count()).toBeGreaterThan(20);
  });

  it('leaves no words that deny sound', async () => {
    const page = await days.open(address(UNTIL - 10 * HOUR, UNTIL - 5 * HOUR));
    const events = await tabOf(page, 'Events');
    expect(await linesOf(page).count()).toBe(3);
    expect(await events.innerText()).not.toMatch(/No noise|Nothing/);
    expect(await page.getByRole('region', { name: /^Why/ }).innerText()).not.toMatch(/Nothing/);
    expect(await page.getByText('There are no points').count()).toBe(0);
  });

  it('draws a minute of it as a minute', async () => {
    const from = UNTIL - 10 * HOUR + 7 * 60_000;
    const page = await days.open(address(from + 20_000, from + 40_000));
    await chartOf(page).press('Home');
    expect(await page.locator('.reading').innerText()).toContain(
      'Leq −12.0, minimum −12.0, maximum −12.0 dBFS',
    );
    await expect.poll(() => linesOf(page).count()).toBeGreaterThan(0);
  });

  it('divides no minute before it', () => {
    const cut = { from: UNTIL - 90_500, to: UNTIL - 30_500 };
    expect(inWholeMinutes(cut, new Date(UNTIL).toISOString())).toEqual({ from: UNTIL - 120_000, to: UNTIL });
    expect(inWholeMinutes(cut, new Date(UNTIL - 60_000).toISOString())).toEqual({
      ...cut,
      from: UNTIL - 120_000,
    });
    expect(inWholeMinutes(cut, null)).toEqual(cut);
  });

  it('shows a station of which only history is left', async () => {
    const at = await otherService();
    await storeHistory(at);
    await at.sql('truncate audio_data');
    const page = await days.open('/', { at });
    expect(await page.getByRole('status').first().innerText()).toContain('Recorder offline');
    expect(await page.getByText('The newest is from May 11').count()).toBe(1);
    await page.getByRole('button', { name: 'Show the newest' }).click();
    await settled(page);
    expect(await (await tabOf(page, 'Figures')).innerText()).toContain('7,200');
    await page.getByRole('button', { name: 'Year' }).click();
    await page.getByRole('button', { name: /^Sat, May 9, Lden −[\d.]+ dBFS$/ }).waitFor();
    await expect.poll(() => page.locator('.year').getByText(LINE).count()).toBe(1);
  });
});
