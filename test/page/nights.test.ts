// Nights hour by hour, each hour against its limit, and the strip of fourteen nights on narrow screens.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import { parseLimits } from '../../src/contract/limits.ts';
import { hoursAgainstLimits, nightsUpTo } from '../../src/page/state/nights.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import type { TestService } from '../service.ts';
import { browse, HOUR, iso, rangeOf, settled } from './browse.ts';
import { violationsOf } from './looks.ts';

/** The afternoon after the night in which the clocks of Vienna repeat an hour. */
const AT = Date.parse('2026-10-25T14:20:00Z');
const ZONE = 'Europe/Vienna';
const LIMITS = parseLimits('06-22=55,22-06=45') ?? [];
const NIGHT = { start: 22 * 60, end: 6 * 60 };

/** Ten days of a point a minute, quieter at night, with a loud night and a loud repeated hour, a gap and half a gap. */
async function storeDays({ sql }: TestService): Promise<void> {
  await sql('truncate audio_data');
  await sql(`insert into audio_data
    select time,
      case
        when time >= '2026-10-22T21:00Z' and time < '2026-10-23T00:00Z' then -30
        when time >= '2026-10-25T01:00Z' and time < '2026-10-25T02:00Z' then -40
        when extract(hour from time at time zone '${ZONE}')::int between 6 and 21 then -42
        else -47
      end, 1000, false
    from generate_series('${iso(AT - 10 * 24 * HOUR)}'::timestamptz, '${iso(AT - 240_000)}', interval '1 min') time
    where not (time > '2026-10-22T12:00Z' and time < '2026-10-22T13:00Z')
      and not (time > '2026-10-22T14:00Z' and time < '2026-10-22T14:24Z')`);
}

interface Cell {
  readonly text: string;
  readonly className: string;
  readonly colour: string;
  readonly span: number;
}

describe('nights hour by hour', needs('Chromium', chromiumPath), () => {
  const days = browse(storeDays, () => AT);

  async function open(limits = LIMITS, width = 1280) {
    const at = await days.beside({ site: { timeZone: ZONE, limits, calibrationOffsetDb: 90 } });
    const before = (page: Page) => page.clock.setFixedTime(AT);
    return { at, page: await days.open('/?live=off', { at, width, before }) };
  }

  const rowsOf = (page: Page) => page.locator('.hours tbody tr');
  const cellsOf = (page: Page, row: number): Promise<Cell[]> =>
    rowsOf(page)
      .nth(row)
      .locator('td')
      .evaluateAll((cells) =>
        (cells as HTMLTableCellElement[]).map((cell) => ({
          text: cell.innerText.trim(),
          className: cell.className.trim(),
          colour: cell.style.backgroundColor,
          span: cell.colSpan,
        })),
      );

  it('show by how much each hour was over its limit, as the API does', async () => {
    const { at, page } = await open();
    const from = '2026-10-19T10:00:00Z'; // noon
    const hours = `/stats/series?from=${from}&to=${iso(AT)}&bucket=1h&time_zone=${ZONE}&levels=absolute`;
    const { buckets }: Outputs['stats']['series'] = (await at.get(hours)).body;
    const expected = buckets.map(({ time, leq_db }) => {
      const hour = new Date(Date.parse(time) + (time < '2026-10-25T01:00' ? 2 : 1) * HOUR).getUTCHours();
      const excess = (leq_db ?? 0) - (hour >= 6 && hour < 22 ? 55 : 45);
      return excess > 0.5 ? `+${Math.round(excess)}` : '';
    });
    expect(expected.filter(Boolean)).toEqual(['+15', '+15', '+15', '+5']);
    await expect.poll(async () => (await cellsOf(page, 3))[11]?.text).toBe('+15');
    const shown = (await Promise.all([0, 1, 2, 3, 4, 5, 6].map((row) => cellsOf(page, row)))).flatMap(
      (cells) => cells.slice(0, -1).map(({ text }) => text),
    );
    expect(shown.slice(0, expected.length)).toEqual(expected);
    expect(shown.slice(expected.length).join('')).toBe(''); // ahead of now
    const { parts }: Outputs['stats']['limits'] = (
      await at.get(`/stats/limits?from=${from}&to=${iso(AT)}&levels=absolute`)
    ).body;
    const nights = parts.filter(({ limit_db, is_running }) => limit_db === 45 && !is_running);
    const verdicts = nights.map(({ state, assessed_db }) => {
      const excess = (assessed_db ?? 0) - 45;
      return `${state === 'over' ? '▲' : '✓'} ${excess > 0 ? '+' : '−'}${Math.abs(excess).toFixed(1)}`;
    });
    expect(verdicts).toEqual(['✓ −2.0', '✓ −2.0', '✓ −2.0', '▲ +10.9', '✓ −2.0', '✓ −0.4']);
    expect(
      (await page.locator('.hours tbody td:last-child').allInnerTexts()).map((text) => text.trim()),
    ).toEqual([...verdicts, '']);
  });

  it('show gaps, hours measured in part, and both of the hours that the clocks repeat', async () => {
    const { page } = await open();
    await expect.poll(async () => (await cellsOf(page, 3))[11]?.text).toBe('+15');
    const thursday = await cellsOf(page, 3);
    const looks = [2, 3, 4, 5].map((column) => thursday[column]?.className);
    expect(looks).toEqual(['lacking', '', 'partial', '']);
    expect(thursday.slice(2, 6).map(({ colour }) => colour !== '')).toEqual([false, true, true, true]);
    const title = await rowsOf(page).nth(3).locator('td').nth(4).getAttribute('title');
    expect(title).toBe('4:00 PM–5:00 PM: 48.0 dB, limit 55, measured 60.0 %');
    const saturday = await cellsOf(page, 5);
    expect(saturday.slice(13, 18).map(({ text, span }) => [text, span])).toEqual([
      ['', 2],
      ['', 1],
      ['+5', 1],
      ['', 2],
      ['', 2],
    ]);
    expect(saturday).toHaveLength(26);
    const sunday = (await cellsOf(page, 6)).map(({ colour }) => colour !== '');
    expect(sunday.slice(0, 5)).toEqual([true, true, true, true, false]); // 12:00 to 15:20
  });

  it('count what was measured once where a gap is excluded too, and by points if not all gaps are listed', async () => {
    const { service } = days;
    const [night] = nightsUpTo(Date.parse('2026-10-23T08:00:00Z'), 1, ZONE, NIGHT);
    if (!night) throw new Error('There is no night');
    const span = `from=${iso(night.from)}&to=${iso(night.to)}`;
    const series = (await service.get(`/stats/series?${span}&bucket=1h&time_zone=${ZONE}`)).body;
    const quality: Outputs['stats']['quality'] = (await service.get(`/stats/quality?${span}`)).body;
    const info = { limits: LIMITS, oldest: iso(AT - 10 * 24 * HOUR) };
    const measured = (of: Partial<typeof quality>) =>
      hoursAgainstLimits(
        { series, quality: { ...quality, ...of } },
        info,
        night,
        ZONE,
        AT,
      )(night)
        .slice(2, 6)
        .map(({ measured }) => Math.round(100 * (measured ?? 0)));
    expect(measured({})).toEqual([0, 100, 60, 100]);
    expect(measured({ gap_count: 1001 })).toEqual([2, 100, 62, 100]); // with a point at the full hour
    const rain = { from: '2026-10-22T14:10:00Z', to: '2026-10-22T14:36:00Z', reason: 'rain', by: null };
    expect(measured({ exclusions: [rain], exclusion_count: 1 })).toEqual([0, 100, 40, 100]);
  });

  it('leave the hour empty that the clocks skip', () => {
    const [night] = nightsUpTo(Date.parse('2026-03-29T08:00:00Z'), 1, ZONE, NIGHT);
    if (!night) throw new Error('There is no night');
    expect([night.from, night.start, night.to].map(iso)).toEqual([
      '2026-03-28T11:00:00.000Z',
      '2026-03-28T21:00:00.000Z',
      '2026-03-29T10:00:00.000Z',
    ]);
    const hours = hoursAgainstLimits({}, { limits: LIMITS, oldest: null }, night, ZONE, AT)(night);
    expect(hours.map(({ column }) => column)).toEqual([...Array(24).keys()].filter((hour) => hour !== 14));
  });

  it('lead the chart to a night or an hour, and stay where they are', async () => {
    const { page } = await open();
    await expect.poll(async () => (await cellsOf(page, 3))[11]?.text).toBe('+15');
    const names = await rowsOf(page).getByRole('button').allInnerTexts();
    expect(names).toHaveLength(7);
    await rowsOf(page).nth(3).locator('td').nth(11).click();
    await expect.poll(() => rangeOf(page)).toEqual(['2026-10-22T20:00:00.000Z', '2026-10-22T23:00:00.000Z']);
    await settled(page);
    expect(await page.locator('.hours [aria-current]').innerText()).toBe(names[3]);
    await rowsOf(page).nth(1).getByRole('button').press('Enter');
    await expect.poll(() => rangeOf(page)).toEqual(['2026-10-20T10:00:00.000Z', '2026-10-21T10:00:00.000Z']);
    await settled(page);
    expect(await rowsOf(page).getByRole('button').allInnerTexts()).toEqual(names);
    await page.goto(
      page.url().replace(/\?.*/, '?from=2026-09-25T10:00:00Z&to=2026-10-25T10:00:00Z&live=off'),
    );
    await settled(page);
    expect(await page.getByRole('heading', { name: 'hour by hour' }).innerText()).toBe(
      '30 nights, hour by hour',
    );
  });

  it('are a strip of fourteen nights on narrow screens', async () => {
    const { page } = await open(LIMITS, 360);
    const strip = page.getByRole('region', { name: '1 of 10 nights over the limit' });
    await strip.waitFor();
    const squares = strip.getByRole('button');
    const letters = await squares.locator('small').allInnerTexts(); // up to last night, with which a phone begins
    expect(letters.join('')).toBe('SMTWTFSSMTWTFS');
    expect((await squares.locator('i').allInnerTexts()).join(' ').trim()).toBe('+11');
    expect(await page.locator('.hours').isVisible()).toBe(false);
    await strip.getByRole('button', { name: '22 Thu – 23 Fri: 10.9 dB over the limit' }).click();
    await expect.poll(() => rangeOf(page)).toEqual(['2026-10-22T20:00:00.000Z', '2026-10-23T04:00:00.000Z']);
  });

  it('show levels without limits, in no red', async () => {
    const { page } = await open([]);
    await expect.poll(async () => (await cellsOf(page, 3))[11]?.text).toBe('60');
    const thursday = await cellsOf(page, 3);
    expect([8, 11, 24].map((cell) => thursday[cell]?.text)).toEqual(['48', '60', '55.9']);
    expect(await page.locator('.nights [style*=over]').count()).toBe(0);
  });

  it('pass axe in every theme', async () => {
    const { page } = await open();
    await expect.poll(async () => (await cellsOf(page, 3))[11]?.text).toBe('+15');
    for (const [width, colorScheme, forcedColors] of [
      [1280, 'light', 'none'],
      [720, 'dark', 'none'],
      [360, 'light', 'none'],
      [1280, 'dark', 'active'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, forcedColors });
      const rules = { 'color-contrast': { enabled: forcedColors === 'none' } };
      expect(await violationsOf(page, rules), `at ${width} px, ${colorScheme}`).toEqual([]);
    }
  });
});
