// A year as a calendar of days and of nights, and against the year before.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import { parseLimits } from '../../src/contract/limits.ts';
import { refreshRollups } from '../../src/rollups/refresh-rollups.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import type { TestOptions, TestService } from '../service.ts';
import { browse, cellsOf, iso, otherService, parameter, rangeOf, settled, text } from './browse.ts';
import { violationsOf } from './looks.ts';

const ZONE = 'Europe/Vienna';
const LIMITS = parseLimits('06-22=55,22-06=45') ?? [];
const AT = Date.parse('2026-05-12T12:05:00Z');

/** A point a minute from December on, with louder Sundays, a gap of three days in March and one of hours in April. */
async function storeYear({ sql }: TestService): Promise<void> {
  await sql('truncate audio_data');
  await sql(`insert into audio_data
    select time,
      case when local < '2026-01-01' then -49 else -46.5 end + case when extract(isodow from local) = 7 then 6 else 0 end
        + case when extract(hour from local) between 6 and 21 then 5 else 0 end, 1000, false
    from generate_series('2025-12-01T00:00Z'::timestamptz, '${iso(AT - 60_000)}', interval '1 min') time,
      lateral (select time at time zone '${ZONE}' as local) as clock
    where not (time > '2026-03-10T06:00Z' and time < '2026-03-13T06:00Z')
      and not (time > '2026-04-07T06:00Z' and time < '2026-04-07T12:00Z')`);
  await refreshRollups(sql, 400_000);
}

const rowsOf = (page: Page) => page.locator('.calendar tbody tr');
const dayOf = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
/** The marks of the days, and the figure of the month, by months. */
const marksOf = (page: Page) =>
  rowsOf(page).evaluateAll((rows) =>
    rows.map((row) =>
      Array.from(row.querySelectorAll('td'), (cell) =>
        ((cell.querySelector('i') ?? (cell.querySelector('button') ? null : cell))?.textContent ?? '').trim(),
      ),
    ),
  );
const modeOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('a year', needs('Chromium', chromiumPath), () => {
  const days = browse(storeYear, () => AT);
  const site = { timeZone: ZONE, limits: LIMITS, calibrationOffsetDb: 90 };

  async function open(
    path = '/?show=year',
    options: TestOptions = { site },
    width = 1280,
    before?: (page: Page) => Promise<unknown>,
  ) {
    const at = await days.beside(options);
    const page = await days.open(path, { at, width, isSettled: false, ...(before && { before }) });
    await rowsOf(page).nth(11).waitFor();
    await filled(page);
    return { at, page };
  }
  const filled = (page: Page) =>
    page.locator('.panel[aria-busy=true]').first().waitFor({ state: 'detached' });
  const daysIn = async (at: TestService, by: string, year = 2026): Promise<Outputs['stats']['days']> =>
    (
      await at.get(
        `/stats/days?from=${year}-01-01T06:00:00Z&to=${year + 1}-01-01T06:00:00Z&by=${by}&time_zone=${ZONE}&levels=absolute`,
      )
    ).body;

  it('is a calendar of Lden by day, a row a month, as the service answers', async () => {
    const at = await days.beside({ site });
    const page = await days.open('/', { at, width: 1280 });
    await page.getByRole('button', { name: 'Year' }).click();
    await rowsOf(page).nth(11).waitFor();
    await filled(page);
    await expect.poll(() => parameter(page, 'show')).toBe('year');
    await expect.poll(() => page.getByRole('heading', { name: '2026', exact: true }).isVisible()).toBe(true);
    const cells = await marksOf(page);
    const answer = await daysIn(at, 'day');
    const levels = answer.days.map(({ lden_db }) => (lden_db === null ? '' : `${Math.round(lden_db)}`));
    const shown = cells.flatMap((row, month) =>
      row.slice(0, new Date(Date.UTC(2026, month + 1, 0)).getUTCDate()),
    );
    expect(shown.slice(0, levels.length)).toEqual(levels);
    expect(shown.slice(levels.length).join('')).toBe('');
    const months = (await daysIn(at, 'month')).days.map(({ lden_db }) =>
      lden_db === null ? '' : text(lden_db),
    );
    await expect
      .poll(async () => (await marksOf(page)).map((row) => row.at(-1)).slice(0, months.length))
      .toEqual(months);
    await expect.poll(() => page.locator('.why, .nights').count()).toBe(0);
  });

  it('tells partly measured days and days without data apart, without their colours', async () => {
    const { page } = await open();
    const classOf = (name: string | RegExp) => dayOf(page, name).locator('i').getAttribute('class');
    expect(await classOf('Wed, Mar 11, no data')).toBe('lacking');
    expect(await classOf(/^Tue, Apr 7, Lden [\d.]+ dB, partly measured$/)).toBe('partial');
    expect(await classOf('Tue, May 12, partly measured')).toBe('partial'); // today
    expect(await classOf('Sun, Apr 5, Lden')).toBeNull();
    expect(await dayOf(page, 'Wed, May 13').count()).toBe(0);
  });

  it('stands against the year before', async () => {
    const { at, page } = await open();
    const [these, last] = [(await daysIn(at, 'year')).days[0], (await daysIn(at, 'year', 2025)).days[0]];
    const levels = (['lden_db', 'lday_db', 'levening_db', 'lnight_db'] as const).map((name) => {
      const [now, before] = [these?.[name] ?? Number.NaN, last?.[name] ?? Number.NaN];
      return [text(now), text(before), `+${text(now - before)}`];
    });
    await expect
      .poll(() => cellsOf(page.locator('.year table').last()))
      .toEqual([...levels, ['127 of 365', '31 of 365', ''], ['38 of 128', '4 of 31', '']]);
    expect(await page.locator('.year').innerText()).toContain('2026 has not ended');
  });

  it('shows the nights against the limit', async () => {
    const { page } = await open();
    await modeOf(page, 'Nights').click();
    await filled(page);
    const [, february] = await marksOf(page);
    expect(february?.join('|')).toBe('+1||||||+4|+1||||||+4|+1||||||+4|+1||||||+4||||8 of 28');
    await dayOf(page, '3 Sat – 4 Sun: ').press('Enter');
    await expect.poll(() => rangeOf(page)).toEqual(['2026-01-03T21:00:00.000Z', '2026-01-04T05:00:00.000Z']);
    await settled(page);
    await page.goBack();
    await rowsOf(page).nth(11).waitFor();
  });

  it.each(['UTC', 'America/New_York'])('dates nights by their evening in %s', async (timeZone) => {
    const { page } = await open('/?show=year', { site: { ...site, timeZone } });
    await modeOf(page, 'Nights').click();
    await filled(page);
    const first = rowsOf(page).nth(1).locator('td').first().getByRole('button');
    await expect.poll(() => first.getAttribute('title')).toMatch(/^1 Sun – 2 Mon/);
  });

  it('leads to a day, a month, the years around it, and back', async () => {
    const { page } = await open();
    await dayOf(page, 'Sun, Apr 5').click();
    await expect.poll(() => rangeOf(page)).toEqual(['2026-04-05T05:00:00.000Z', '2026-04-06T05:00:00.000Z']);
    await settled(page);
    await page.goBack();
    await page.getByRole('button', { name: 'Feb', exact: true }).click();
    await expect.poll(() => rangeOf(page)).toEqual(['2026-01-31T23:00:00.000Z', '2026-02-28T23:00:00.000Z']);
    await settled(page);
    await page.goBack();
    await page.getByRole('button', { name: 'Earlier' }).click();
    await page.getByRole('heading', { name: '2025', exact: true }).waitFor();
    await expect.poll(() => parameter(page, 'show')).toBe('2025');
    await dayOf(page, 'Wed, Dec 31, 2025, Lden').waitFor();
    await page.getByRole('button', { name: 'Later' }).click();
    await expect.poll(() => parameter(page, 'show')).toBe('year');
    await page.goto(page.url().replace('show=year', 'show=2024'));
    await page.getByText('recording began Dec 1, 2025').waitFor();
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await expect.poll(() => parameter(page, 'show')).toBe('year');
  });

  it('is one stop for the keyboard, whose arrows move by days and by months', async () => {
    const { page } = await open();
    await dayOf(page, 'Mon, Jan 5').focus();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    for (const [key, name] of [
      ['ArrowRight', 'Tue, Jan 6'],
      ['ArrowDown', 'Fri, Feb 6'],
      ['ArrowDown', 'Fri, Mar 6'],
      ['ArrowLeft', 'Thu, Mar 5'],
      ['ArrowUp', 'Thu, Feb 5'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toContain(name);
    }
    await page.keyboard.press('Tab');
    expect(await focused()).not.toContain('Feb');
  });

  it('says what is missing without limits, without a calibration, and of maxima', async () => {
    const { page } = await open('/?show=year', { site: { ...site, limits: [] } });
    expect(await modeOf(page, 'Nights').count()).toBe(0);
    await expect.poll(() => page.locator('.year').innerText()).toContain('no limit set');
    const relative = await open('/?show=year', { site: { ...site, calibrationOffsetDb: null } });
    await dayOf(relative.page, /^Sun, Apr 5, Lden −3[\d.]+ dBFS$/).waitFor();
    expect(await relative.page.locator('.year').innerText()).toContain('calibrate FILE.wav');
    const at = await otherService({ site });
    await at.sql(`insert into audio_data_periods (since, weighting, time_weighting, reference_db, interval_ms, statistic)
      values ('2026-04-30Z', 'A', 'fast', 85, 60000, 'max')`);
    await at.sql(`insert into audio_data select time, -40, 1000, false
      from generate_series('2026-05-01T00:00Z'::timestamptz, '${iso(AT)}', interval '1 min') time`);
    const maxima = await days.open('/?show=year', { at, isSettled: false });
    await dayOf(maxima, 'Sun, May 3, only maxima: no Leq').waitFor();
    expect(await maxima.locator('.year').innerText()).toContain('their energy mean is not a Leq');
    await at.sql(`insert into audio_data_periods (since, weighting, time_weighting, reference_db, interval_ms, statistic)
      values ('2026-05-06Z', 'A', 'fast', 90, 60000, 'max')`);
    await maxima.reload();
    await maxima.locator('.year').getByText('recorded in 2 different ways').waitFor();
  });

  it('is wide enough for its days and passes axe in every theme, in both languages', async () => {
    const german = (page: Page) =>
      page.addInitScript(() => Object.defineProperty(navigator, 'languages', { value: ['de'] }));
    for (const before of [undefined, german]) {
      const { page } = await open('/?show=year', { site }, 1280, before);
      if (before) await page.getByRole('button', { name: 'Nächte', exact: true }).click();
      await filled(page);
      for (const [width, colorScheme, forcedColors] of [
        [1280, 'light', 'none'],
        [360, 'dark', 'none'],
        [1280, 'dark', 'active'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, forcedColors });
        const rules = { 'color-contrast': { enabled: forcedColors === 'none' } };
        expect(await violationsOf(page, rules), `at ${width} px, ${colorScheme}`).toEqual([]);
      }
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
      for (const width of [320, 701, 1240]) {
        await page.setViewportSize({ width, height: 900 });
        await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
      await page.emulateMedia({ media: 'print' });
      await expect.poll(() => rowsOf(page).first().isVisible()).toBe(true);
      await expect.poll(() => page.locator('.year fieldset button').first().isVisible()).toBe(false);
    }
  });
});
