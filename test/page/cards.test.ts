// The verdicts on the part of the day that has ended and on the one that runs, as the API returns them.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import { parseLimits } from '../../src/contract/limits.ts';
import type { Site } from '../../src/operations/stations/station.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import { NOW, type TestService } from '../service.ts';
import { browse, cellsOf, iso, lastInput, rangeOf, settled, tabOf, text } from './browse.ts';

/** One o’clock on a Sunday in Vienna. */
const AT = Date.parse(NOW);
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const MINUTE_OF_NOW = AT - (AT % MINUTE);

type Part = Outputs['stats']['limits']['parts'][number];

/**
 * Nine days of one point a minute: −42 dB by day, −44 dB at night, but −41 dB last night, with 45 minutes of −30 dB.
 * Saturday lacks the points from 18:00 to 20:00 in Vienna.
 */
async function storeWeek({ sql }: TestService): Promise<void> {
  await sql('truncate audio_data');
  await sql(`insert into audio_data
    select time,
      case
        when time >= '2026-03-01T01:40:00Z' and time < '2026-03-01T02:25:00Z' then -30
        when time >= '2026-02-28T21:00:00Z' and time < '2026-03-01T05:00:00Z' then -41
        when extract(hour from time at time zone 'Europe/Vienna')::int % 22 < 6 then -44
        else -42
      end, 1000, false
    from generate_series('${iso(AT - 9 * DAY)}'::timestamptz, '${iso(AT - 4 * MINUTE)}', interval '1 min') time
    where time < '2026-02-28T17:00:00Z' or time >= '2026-02-28T19:00:00Z'`);
}

describe('the cards of the page', needs('Chromium', chromiumPath), () => {
  const week = browse(storeWeek, () => AT);

  /** Opens the page of a place in Vienna at that time. */
  async function openIn(site: Partial<Site>, path = '/?live=off', isFine = true) {
    const at = await week.beside({ site: { timeZone: 'Europe/Vienna', ...site } });
    const before = (page: Page) => page.clock.setFixedTime(AT);
    return { at, page: await week.open(path, { at, isFine, before }) };
  }

  const linesOf = async (card: Locator) =>
    (await card.locator('h2, .row').allInnerTexts()).map((line) => line.replace(/\s+/g, ' ').trim());
  const main = (page: Page) => page.locator('.card.main');
  const other = (page: Page) => page.locator('.card.other');

  /** The text below a card's heading, for a part that has a level in the API. */
  function expectedOf(part: Part): string[] {
    const { state, measured_percent, is_running, average_left_db: left } = part;
    const below = `✓ ${text(-(part.excess_db ?? 0))} dB under the limit`;
    const verdicts = {
      over: is_running ? '▲ Over the limit already' : `▲ ${text(part.excess_db)} dB over the limit`,
      under: below,
      undecided: is_running ? `${below} so far` : '? Not decided',
    };
    return [
      state === null ? '' : verdicts[state],
      `${text((part.leq_db ?? 0) + 90)} dB, limit ${part.limit_db} · measured ${measured_percent?.toFixed(1)} %`,
      is_running && left !== null
        ? `At most ${text(left)} dB on average from now on`
        : state === 'undecided' && !is_running
          ? 'Too little was measured'
          : '',
    ];
  }

  const calibrated = (limits: string) => ({ limits: parseLimits(limits) ?? [], calibrationOffsetDb: 90 });

  it.each([
    // over comes first
    ['06-22=55,22-06=45', ['Last night, 10:00 PM–6:00 AM', 'over'], ['Today, since 6:00 AM', 'undecided']],
    ['06-22=40.5,22-06=65', ['Today, since 6:00 AM', 'over'], ['Last night, 10:00 PM–6:00 AM', 'under']],
    ['05:30-18=55,18-02=45', ['Last night, 6:00 PM–2:00 AM', 'over'], ['Today, since 5:30 AM', 'undecided']],
    // or else the newer one
    ['06-22=55,22-06=65', ['Today, since 6:00 AM', 'undecided'], ['Last night, 10:00 PM–6:00 AM', 'under']],
    [
      '00-12=55,12-24=55',
      ['Today, since 12:00 PM', 'undecided'],
      ['Last period, 12:00 AM–12:00 PM', 'under'],
    ],
    ['02-12=55,12-02=55', ['Today, since 12:00 PM', 'undecided'], ['Last period, 2:00 AM–12:00 PM', 'under']],
  ])(
    'show how the limits %s were kept: first what is over, else what is newer',
    async (limits, first, second) => {
      const { at, page } = await openIn(calibrated(limits));
      const { body } = await at.get(
        `/stats/limits?from=${iso(AT - 2 * DAY)}&to=${iso(MINUTE_OF_NOW + MINUTE)}`,
      );
      const { parts }: Outputs['stats']['limits'] = body;
      const [ended, running] = [false, true].map((is) =>
        parts.findLast(({ is_running }) => is_running === is),
      );
      if (!ended || !running) throw new Error('There are no limits');
      const isRunning = first[0]?.startsWith('Today');
      const [large, small] = isRunning ? [running, ended] : [ended, running];
      await expect.poll(() => linesOf(main(page))).toEqual([first[0], ...expectedOf(large)]);
      await expect.poll(() => linesOf(other(page))).toEqual([second[0], ...expectedOf(small)]);
      expect([large.state, small.state]).toEqual([first[1], second[1]]);
      expect(await main(page).getAttribute('class')).toContain(large.state);
      const used = large.used_percent ?? Number.NaN;
      const share = used < 9.95 ? `${used.toFixed(1)} %` : `${Math.round(used)} %`;
      expect(await main(page).getByRole('img').getAttribute('aria-label')).toBe(`used: ${share}`);
    },
  );

  it('call a part too loud to last if the level of the last ten minutes will be over', async () => {
    const { at, page } = await openIn(calibrated('06-22=49,22-06=65'));
    const { body } = await at.get(`/stats/limits?from=${iso(AT - DAY)}&to=${iso(MINUTE_OF_NOW + MINUTE)}`);
    const part: Part = body.parts.at(-1);
    expect(part).toMatchObject({ state: 'undecided', passed_at: null });
    await expect.poll(async () => (await linesOf(main(page)))[1]).toBe('✓ 1.0 dB under the limit so far');
    await at.sql(`update audio_data set rms_db = -30 where time > '${iso(AT - 10 * MINUTE)}'`);
    onTestFinished(
      async () =>
        void (await at.sql(`update audio_data set rms_db = -42 where time > '${iso(AT - 10 * MINUTE)}'`)),
    );
    await page.reload();
    await expect.poll(async () => (await linesOf(main(page)))[1]).toMatch(/^▲ \d+\.\d dB too loud to last$/);
    const again: Part = (
      await at.get(`/stats/limits?from=${iso(AT - DAY)}&to=${iso(MINUTE_OF_NOW + MINUTE)}`)
    ).body.parts.at(-1);
    const [to, passed] = [again.to, again.passed_at ?? ''].map(
      (time) => Date.parse(time) - MINUTE_OF_NOW - MINUTE,
    );
    expect((await linesOf(main(page)))[1]).toContain(
      ` ${text(10 * Math.log10((to ?? 0) / (passed ?? 1)))} dB `,
    );
    expect(await main(page).getAttribute('class')).toContain('too-loud');
  });

  it('show the allowance by the causes of stats.why, with the letters of the list', async () => {
    const { at, page } = await openIn(calibrated('06-22=55,22-06=45'));
    const { body } = await at.get(
      '/stats/why?from=2026-02-28T21:00:00Z&to=2026-03-01T05:00:00Z&levels=absolute',
    );
    const [cause]: Outputs['stats']['why']['parts'][number]['episodes'] = body.parts[0].episodes;
    const segment = main(page).locator('.bar i').first();
    await expect.poll(() => segment.innerText()).toBe('A');
    const wide = await segment.evaluate((element) => element.getBoundingClientRect().width);
    const all = await main(page)
      .locator('.bar')
      .evaluate((element) => element.getBoundingClientRect().width);
    expect((100 * wide) / all).toBeCloseTo(
      (100 * (cause?.share_percent ?? 0)) / body.parts[0].used_percent,
      0,
    );
    expect(await page.locator('.causes li').first().innerText()).toMatch(/^A\s+Loud bursts, 1 kHz/);
    expect(await page.locator('.why-lane b').innerText()).toBe('A');
    // the same sound in an earlier night, which the list names by its weekday
    await at.sql(
      `update audio_data set rms_db = -30 where time >= '2026-02-26T01:40:00Z' and time < '2026-02-26T02:25:00Z'`,
    );
    onTestFinished(
      async () =>
        void (await at.sql(
          `update audio_data set rms_db = -44 where time >= '2026-02-26T01:40:00Z' and time < '2026-02-26T02:25:00Z'`,
        )),
    );
    await page.reload();
    await expect.poll(() => page.locator('.causes li').first().innerText()).toContain(' · also Thu');
  });

  it('show the level instead of a verdict without limits or without a calibration', async () => {
    for (const [limits, inFigures, note] of [
      ['', 'no limit set · ', ''],
      ['07-23=55,23-07=45', '', 'Not calibrated'],
    ] as const) {
      const { at, page } = await openIn({ limits: parseLimits(limits) ?? [] });
      const leq = async (from: string, to: string) => {
        const { body } = await at.get(`/stats/summary?from=${from}&to=${to}`);
        return text(body.leq_db);
      };
      const night = await leq('2026-02-28T22:00:00Z', '2026-03-01T06:00:00Z');
      expect(await leq('2026-03-01T06:00:00Z', iso(MINUTE_OF_NOW))).toBe('−42.0');
      await expect
        .poll(() => linesOf(main(page)))
        .toEqual(['Today, since 7:00 AM', '−42.0 dBFS', `${inFigures}measured 100.0 %`, note]);
      await expect
        .poll(() => linesOf(other(page)))
        .toEqual(['Last night, 11:00 PM–7:00 AM', `${night} dBFS`, `${inFigures}measured 100.0 %`, note]);
    }
  });

  it('show that no limit applies now, and call no day a night', async () => {
    const { page } = await openIn(calibrated('22-06=45'));
    await expect.poll(async () => (await linesOf(main(page)))[0]).toBe('Last night, 10:00 PM–6:00 AM');
    expect((await linesOf(other(page)))[1]).toBe('No limit applies now');
    const { page: byDay } = await openIn(calibrated('06-22=55'));
    await expect.poll(async () => (await linesOf(main(byDay)))[0]).toBe('Today, since 6:00 AM');
    expect((await linesOf(other(byDay)))[0]).toBe('Last period, 6:00 AM–10:00 PM');
  });

  it('call a limit kept "so far" while its part is in progress, like the table of limits', async () => {
    const path = `/?from=${iso(AT - 10 * 60 * MINUTE)}&to=${iso(AT)}&live=off`; // from 3 AM on
    const { page } = await openIn(calibrated('06-22=55,22-06=80'), path);
    await expect.poll(async () => (await linesOf(main(page)))[1]).toBe('✓ 7.0 dB under the limit so far');
    const tables = (await tabOf(page, 'Limits')).locator('table');
    await page.getByText('Period by period').click();
    expect((await cellsOf(tables.last())).map((cells) => cells[3])).toEqual([
      'not decided: this interval shows only a portion of the period',
      '7.0 dB under the limit so far',
    ]);
  });

  it('show whole figures at any width, even beside the longest words', async () => {
    const at = await week.beside({
      site: { timeZone: 'Europe/Vienna', ...calibrated('06-22=55:3,22-06=45:3') },
    });
    const page = await week.open('/?live=off', {
      at,
      async before(page) {
        await page.clock.setFixedTime(AT);
        await page.addInitScript(() => {
          Object.defineProperty(navigator, 'languages', { value: ['de-AT'] });
        });
      },
    });
    await expect.poll(async () => (await linesOf(main(page)))[2]).toMatch(/^beurteilt .*gemessen/);
    for (const width of [1440, 1280, 1024, 720, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const cut = await page
        .locator('.main :is(.verdict, .figures), .other .verdict')
        .evaluateAll((rows) =>
          rows.filter((row) => row.scrollWidth > row.clientWidth).map((row) => row.textContent),
        );
      expect(cut, `at ${width} px`).toEqual([]);
    }
  });

  it('show the night and the day of the place, whatever zone the reader sees, and link there', async () => {
    const { page } = await openIn(calibrated('06-22=55,22-06=45'), '/?live=off&time_zone=Asia/Tokyo');
    await expect.poll(async () => (await linesOf(main(page)))[0]).toBe('Last night, 10:00 PM–6:00 AM GMT+1');
    expect((await linesOf(other(page)))[0]).toBe('Today, since 6:00 AM GMT+1');
    const requested = async (from: string, to: string) => {
      await settled(page);
      expect(await lastInput(page, 'stats.summary')).toMatchObject({ from, to });
    };
    await main(page).click();
    const [from, to] = ['2026-02-28T21:00:00.000Z', '2026-03-01T05:00:00.000Z'];
    await expect.poll(() => rangeOf(page)).toEqual([from, to]);
    await requested(from, to);
    await other(page).click();
    await expect.poll(() => rangeOf(page)).toEqual(['2026-03-01T05:00:00.000Z', 'now']);
    await requested('2026-03-01T05:00:00.000Z', iso(MINUTE_OF_NOW));
  });

  it('show an unknown verdict after a timeout, until the reader retries', async () => {
    const { page } = await openIn(calibrated('06-22=55,22-06=45'), '/?live=off', false);
    const verdict = async () => (await linesOf(main(page)))[1];
    await expect.poll(verdict).toBe('▲ 7.2 dB over the limit');
    const data = { code: 'GATEWAY_TIMEOUT', httpStatus: 504 };
    const error = { message: 'The query took longer than allowed', code: -32064, data };
    await page.route('**/trpc/*stats.limits*', (route) => route.fulfill({ status: 504, json: { error } }));
    await page.reload();
    for (const card of [main(page), other(page)])
      await expect
        .poll(async () => (await linesOf(card)).slice(1))
        .toEqual(['? Unknown', 'The answer took too long.', '']);
    await page.unroute('**/trpc/*stats.limits*');
    await page.getByRole('button', { name: 'Try everything again' }).click();
    await expect.poll(verdict).toBe('▲ 7.2 dB over the limit');
  });

  it('leave the level now to the header', async () => {
    const { at, page } = await openIn(calibrated('06-22=55,22-06=45'), '/');
    for (const level of [-30, -43.5, -50]) {
      await at.sql(`delete from audio_data where time > '${iso(AT - MINUTE)}'`);
      await at.sql(`insert into audio_data values ('${iso(AT - 1000)}', ${level}, 440, false)`);
      await page.reload();
      const bound = level === -50 ? '≤ ' : '';
      await expect.poll(() => page.locator('.now').innerText()).toBe(`${bound}${text(level + 90)} dB now`);
    }
  });
});
