// What a person came for: the page in words, all events in their lane, hours of days, and days of one zone for all.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import { parseLimits } from '../../src/contract/limits.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import { address, browse, END, HOUR, iso, otherService, panel, parameter, settled, text } from './browse.ts';

type EventSeries = Outputs['events']['series'];

const DAY = 24 * HOUR;

describe('the answers of the page', needs('Chromium', chromiumPath), () => {
  const day = browse();

  it('says when the loudest moment was where no event has it', async () => {
    const page = await day.open(address(END - 12 * HOUR, END - 8 * HOUR, '&live=off&threshold=0'));
    const { body } = await day.service.get(
      `/events/loud?from=${iso(END - 12 * HOUR)}&to=${iso(END - 8 * HOUR)}&threshold=-34.001&limit=1`,
    );
    const clock = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' });
    await expect
      .poll(() => page.locator('.words.shown').innerText())
      .toContain(`loudest −34.0 at ${clock.format(new Date(body.points[0].time))} UTC, 0 events over 0.0`);
  });

  it('shows last night in one line and by one click, in the zone of the service', async () => {
    const service = await otherService({ site: { timeZone: 'Europe/Vienna', name: 'Elm Street 4' } });
    await service.sql(`insert into audio_data select time, -30, 440, false
      from generate_series(now() - interval '2 days', now(), interval '1 minute') time`);
    const page = await day.open('/?live=off', { at: service, heading: 'Elm Street 4' });
    const line = page.getByRole('region', { name: 'In words' }).locator('p').first();
    await expect
      .poll(() => line.innerText())
      .toMatch(/^Last night 23–7: Leq −30\.0 dBFS, loudest −30\.0 at /);
    await page.getByRole('button', { name: 'Last night 23–7' }).click();
    await expect.poll(() => parameter(page, 'show')).toBe('last-night');
    await settled(page);
    const call = page.getByRole('region', { name: 'Figures' }).locator('a[href*="stats/summary"]');
    const asked = new URL((await call.getAttribute('href')) ?? '').searchParams;
    const hour = new Intl.DateTimeFormat('en', {
      hour: 'numeric',
      hourCycle: 'h23',
      timeZone: 'Europe/Vienna',
    });
    expect(hour.format(new Date(asked.get('from') ?? ''))).toBe('23');
  });

  it('has every event in the lane above the chart, and as many as the API counts', async () => {
    const service = await otherService();
    const [from, to] = [END - 3 * DAY, END];
    // six events an hour, at odd times, for 3 days
    await service.sql(`insert into audio_data
      select time, case when extract(epoch from time)::bigint / 30 % 19 = 0 then -5 else -40 end, 440, false
      from generate_series('${iso(from)}'::timestamptz, '${iso(to - 30_000)}', interval '30 s') time`);
    const page = await day.open(address(from, to, '&live=off&threshold=-20'), { at: service });
    const call = await page.evaluate(() =>
      performance.getEntriesByType('resource').find(({ name }) => name.includes('events.series')),
    );
    expect(call).toBeDefined();
    const { body } = await service.get(
      `/events/series?from=${iso(from)}&to=${iso(to)}&threshold=-20&max_points=800`,
    );
    const series: EventSeries = body;
    // one point of 19 is loud: by the phase of the first, 454 or one more
    const loud = await service.sql('select count(*)::int from audio_data where rms_db = -5');
    expect(series.event_count).toBe(loud[0]?.count);
    expect(series.event_count).toBeGreaterThanOrEqual(454);
    expect(series.buckets.reduce((sum, { event_count }) => sum + event_count, 0)).toBe(series.event_count);
    const counted = series.event_count.toLocaleString('en-US');
    await expect.poll(() => panel(page, 'Level').innerText()).toContain(`noise events: ${counted}`);
    expect(await panel(page, 'Noise events').innerText()).toContain(`50 of ${counted} events`);
    const drawn = await laneDrawn(page);
    const isDrawn = series.buckets.map((_, place) => {
      const [from, end] = [place, place + 1].map((at) =>
        Math.round((at / series.buckets.length) * drawn.length),
      );
      return drawn.slice(from, end).some(Boolean);
    });
    const wrong = series.buckets.filter(({ event_count }, place) => event_count > 0 !== isDrawn[place]);
    expect(wrong).toEqual([]);
  });

  it('ranks all events, and pages through them', async () => {
    const page = await day.open(address(END - DAY, END, '&live=off&threshold=-34.5'));
    const { body } = await day.service.get(
      `/events/top?from=${iso(END - DAY)}&to=${iso(END)}&threshold=-34.5&by=duration&limit=50`,
    );
    await panel(page, 'Noise events').getByRole('button', { name: 'longest' }).click();
    await settled(page);
    const levels = panel(page, 'Noise events').locator('tbody tr td:nth-child(3)');
    await expect
      .poll(() => levels.allInnerTexts())
      .toEqual(body.events.map(({ peak_db }: { peak_db: number }) => text(peak_db)));
    await page.getByRole('list', { name: 'The loudest events' }).getByRole('button').first().click();
    await expect.poll(() => parameter(page, 'to')).not.toBe(iso(END));
    await settled(page);
    expect(await panel(page, 'Level').innerText()).toContain('highest level −3.0');
  });

  it('has a grid of hours that shows what the API has for each, and leads there', async () => {
    const page = await day.open(address(END - 2 * DAY, END, '&live=off&time_zone=Asia/Kolkata'));
    const { body } = await day.service.get(
      `/stats/series?from=${iso(END - 2 * DAY)}&to=${iso(END)}&bucket=1h&time_zone=Asia/Kolkata&exceeded_levels=include`,
    );
    const series: Outputs['stats']['series'] = body;
    const grid = panel(page, 'Day by hour');
    const whole = (db: number | null) => (db === null ? '' : String(Math.round(db)).replace('-', '−'));
    await expect
      .poll(() => grid.locator('td button').allInnerTexts())
      .toEqual(series.buckets.map(({ leq_db }) => whole(leq_db)));
    await grid.getByRole('button', { name: 'L90' }).click();
    await expect
      .poll(() => grid.locator('td button').allInnerTexts())
      .toEqual(series.buckets.map(({ l90_db }) => whole(l90_db)));
    await grid.locator('td button').nth(30).click();
    await expect.poll(() => parameter(page, 'from')).toBe(series.buckets[30]?.time.replace('000Z', 'Z'));
  });

  it('shows two readers in two zones the same days', async () => {
    let move = async (_timezoneId: string) => {};
    const page = await day.open(address(END - 4 * DAY), {
      async before(page) {
        const devTools = await page.context().newCDPSession(page);
        move = async (timezoneId) =>
          void (await devTools.send('Emulation.setTimezoneOverride', { timezoneId }));
        await move('Pacific/Auckland');
      },
    });
    const days = () => panel(page, 'Days').locator('td, th').allInnerTexts();
    const shown = await days();
    expect(shown.length).toBeGreaterThan(20);
    await move('America/Los_Angeles');
    await page.reload();
    await settled(page);
    expect(await days()).toEqual(shown);
  });

  it('shows dB SPL where the microphone is calibrated; says by how much a limit was exceeded, in words and by time of day', async () => {
    const limits = parseLimits('06-22=59.8,22-06=54.3') ?? [];
    const at = await day.beside({ site: { name: null, timeZone: 'UTC', limits, calibrationOffsetDb: 94.3 } });
    const page = await day.open(address(END - DAY), { at });
    await expect.poll(() => panel(page, 'Figures').innerText()).toContain('91.3 dB SPL'); // the peak of -3
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toBe('84.3 dB SPL');
    const { body } = await at.get(`/stats/limits?from=${iso(END - DAY)}&to=${iso(END)}&time_zone=UTC`);
    const rows: Outputs['stats']['limits']['limits'] = body.limits;
    expect(rows.map(({ limit_db }) => limit_db)).toEqual([59.8, 54.3]);
    const [most] = rows.toSorted((a, b) => (b.excess_db ?? 0) - (a.excess_db ?? 0));
    await expect
      .poll(() => page.locator('.words.shown').innerText())
      .toContain(
        `, ${most?.start}–${most?.end} over the limit of ${most?.limit_db} by ${text(most?.excess_db ?? null)}, `,
      );
    const shown = panel(page, 'Limits').locator('tbody').first().locator('tr td:nth-child(2)');
    expect(await shown.allInnerTexts()).toEqual(['59.8', '54.3']);
    await page.getByLabel('Threshold, dB SPL').fill('80.1');
    await expect.poll(() => parameter(page, 'threshold')).toBe('-14.2');
  });
});

/** Whether the lane of events has its colour in each column of pixels of the chart. */
function laneDrawn(page: Page): Promise<boolean[]> {
  return page.evaluate(() => {
    const canvas = document.querySelector('canvas');
    const over = document.querySelector('.chart .u-over');
    const lane = document.querySelector('.chart .lane');
    const context = canvas?.getContext('2d');
    if (!canvas || !over || !lane || !context) throw new Error('There is no chart');
    const [frame, area, strip] = [canvas, over, lane].map((element) => element.getBoundingClientRect());
    if (!frame || !area || !strip) throw new Error('There is no chart');
    const colour = getComputedStyle(document.documentElement).getPropertyValue('--event');
    const event = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
    const [width, height] = [Math.round(area.width), Math.round(strip.height)];
    const { data } = context.getImageData(
      Math.round(area.left - frame.left),
      Math.round(strip.top - frame.top),
      width,
      height,
    );
    return Array.from({ length: width }, (_, x) =>
      Array.from({ length: height }, (_, y) => (y * width + x) * 4).some((at) =>
        event.every((part, i) => Math.abs((data[at + i] ?? 0) - part) < 12),
      ),
    );
  });
}
