// The cards: the level now, last night and the current part of the day, as the API returns them.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import { parseLimits } from '../../src/contract/limits.ts';
import type { Site } from '../../src/operations/stations/station.ts';
import { createCauseText } from '../../src/texts/cause-text.ts';
import { en } from '../../src/texts/en.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import { NOW, type TestService } from '../service.ts';
import { browse, cellsOf, iso, lastInput, parameter, rangeOf, settled, tabOf, text } from './browse.ts';

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
  const lastNight = (page: Page) => page.locator('.card').nth(1);
  const today = (page: Page) => page.locator('.card').nth(2);

  const clock = new Intl.DateTimeFormat('en-US', {
    ...{ hour: 'numeric', minute: '2-digit' },
    timeZone: 'Europe/Vienna',
  });

  /** The text below a card's heading, for a part that has a level in the API. */
  async function expectedOf({ get }: TestService, part: Part): Promise<string[]> {
    const { from, state, measured_percent, is_running, used_percent, average_left_db: left } = part;
    const to = is_running ? iso(MINUTE_OF_NOW) : part.to;
    const { body } = await get(`/stats/why?from=${from}&to=${to}`);
    const [cause]: Outputs['stats']['why']['parts'][number]['episodes'] = body.parts[0].episodes;
    const verdicts = {
      over: is_running ? '▲ Over the limit already' : `▲ ${text(part.excess_db)} dB over the limit`,
      under: '✓ Within the limit',
      undecided: is_running ? '✓ Within the limit so far' : '? Not decided',
    };
    const times = cause && [cause.from, cause.to].map((time) => clock.format(new Date(time))).join('–');
    return [
      state === null ? '' : verdicts[state],
      `${text((part.leq_db ?? 0) + 90)}, limit ${part.limit_db} dB, measured ${measured_percent?.toFixed(1)} %`,
      ...(is_running
        ? [
            `${(used_percent ?? 0) < 10 ? used_percent?.toFixed(1) : Math.floor(used_percent ?? 0)} % of the energy that the limit allows is used` +
              (left === null ? '' : `; at most ${text(left)} dB on average from now on`),
          ]
        : state === 'undecided'
          ? ['Too little was measured']
          : []),
      cause && cause.kind !== 'background'
        ? `${createCauseText(en, 'en-US')(cause)} ${times}, ${Math.round((cause.leq_db ?? 0) + 90)} dB`
        : 'Nothing stood out',
    ].map((line) => line.replace(/\s+/g, ' '));
  }

  const calibrated = (limits: string) => ({ limits: parseLimits(limits) ?? [], calibrationOffsetDb: 90 });

  it.each([
    ['06-22=55,22-06=45', ['Last night 10:00 PM–6:00 AM', 'Today since 6:00 AM'], ['over', 'undecided']],
    ['06-22=40.5,22-06=65', ['Last night 10:00 PM–6:00 AM', 'Today since 6:00 AM'], ['under', 'over']],
    ['05:30-18=55,18-02=45', ['Last night 6:00 PM–2:00 AM', 'Today since 5:30 AM'], ['over', 'undecided']],
    ['00-12=55,12-24=55', ['Last period 12:00 AM–12:00 PM', 'Today since 12:00 PM'], ['under', 'undecided']],
    [
      '02-12=55,12-02=55',
      ['Last period 12:00 PM–2:00 AM', 'Today since 12:00 PM'],
      ['undecided', 'undecided'],
    ],
  ])('show how the limits %s were kept, by night and since then', async (limits, headings, states) => {
    const { at, page } = await openIn(calibrated(limits));
    const { body } = await at.get(
      `/stats/limits?from=${iso(AT - 2 * DAY)}&to=${iso(MINUTE_OF_NOW + MINUTE)}`,
    );
    const { parts }: Outputs['stats']['limits'] = body;
    const running = parts.at(-1);
    const night = parts.findLast(({ from, is_running }) => !is_running && isNight(from, headings[0]));
    if (!night || !running) throw new Error('There are no limits');
    expect([night.state, running.state]).toEqual(states);
    const [first, second] = headings;
    await expect.poll(() => linesOf(lastNight(page))).toEqual([first, ...(await expectedOf(at, night))]);
    await expect.poll(() => linesOf(today(page))).toEqual([second, ...(await expectedOf(at, running))]);
    expect(await lastNight(page).getAttribute('class')).toContain(night.state);
  });

  /** Whether a part starts at the first hour of a heading such as `Last night 10:00 PM–6:00 AM`. */
  function isNight(from: string, heading = ''): boolean {
    const hour = clock.format(new Date(from)).replace(/\s+/g, '');
    return heading
      .replace(/\s/g, '')
      .replace(/^Last(night|period)/, '')
      .startsWith(`${hour}–`);
  }

  it('show the usual level instead of a verdict without limits or without a calibration', async () => {
    for (const [limits, inFigures, ...note] of [
      ['', 'no limit set, '],
      ['07-23=55,23-07=45', '', 'Not calibrated'],
    ] as const) {
      const { at, page } = await openIn({ limits: parseLimits(limits) ?? [] });
      const leq = async (from: string, to: string) => {
        const { body } = await at.get(`/stats/summary?from=${from}&to=${to}`);
        return text(body.leq_db);
      };
      const [night, day] = [
        await leq('2026-02-28T22:00:00Z', '2026-03-01T06:00:00Z'),
        await leq('2026-03-01T06:00:00Z', iso(MINUTE_OF_NOW)),
      ];
      expect(day).toBe('−42.0');
      await expect
        .poll(() => linesOf(lastNight(page)))
        .toEqual([
          'Last night 11:00 PM–7:00 AM',
          `${night} dBFS`,
          `${inFigures}usual −43.7 dBFS, measured 100.0 %`, // nights of seven hours of −44 dB and one of −42 dB
          ...note,
          'Loud bursts, 1 kHz 2:40 AM–3:25 AM, −30 dBFS',
        ]);
      await expect
        .poll(() => linesOf(today(page)))
        .toEqual([
          'Today since 7:00 AM',
          '−42.0 dBFS',
          `${inFigures}usual −42.0 dBFS, measured 100.0 %`,
          ...note,
          'Nothing stood out',
        ]);
    }
  });

  it('show that no limit applies now, and call no day a night', async () => {
    const { page } = await openIn(calibrated('22-06=45'));
    await expect.poll(() => linesOf(today(page))).toEqual(['Today', 'No limit applies now', '', '']);
    expect((await linesOf(lastNight(page)))[0]).toBe('Last night 10:00 PM–6:00 AM');
    const { page: other } = await openIn(calibrated('06-22=55'));
    await expect.poll(async () => (await linesOf(lastNight(other)))[0]).toBe('Last period 6:00 AM–10:00 PM');
    expect((await linesOf(today(other)))[0]).toBe('Today since 6:00 AM');
  });

  it('call a limit kept "so far" while its part is in progress, like the table of limits', async () => {
    const path = `/?from=${iso(AT - 10 * 60 * MINUTE)}&to=${iso(AT)}&live=off`; // from 3 AM on
    const { page } = await openIn(calibrated('06-22=55,22-06=80'), path);
    await expect.poll(async () => (await linesOf(today(page)))[1]).toBe('✓ Within the limit so far');
    const tables = (await tabOf(page, 'Limits')).locator('table');
    expect((await cellsOf(tables.first()))[3]).toEqual(['no whole period', 'no whole period']);
    await page.getByText('Period by period').click();
    expect((await cellsOf(tables.last())).map((cells) => cells[3])).toEqual([
      'not decided: this interval shows only a portion of the period',
      'within the limit so far',
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
    await expect.poll(async () => (await linesOf(today(page)))[2]).toMatch(/^beurteilt .*gemessen/);
    for (const width of [1440, 1280, 1024, 720, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const cut = await page
        .locator('.figures')
        .evaluateAll((rows) => rows.filter((row) => row.scrollWidth > row.clientWidth).length);
      expect(cut, `at ${width} px`).toBe(0);
    }
  });

  it('show the night and the day of the place, whatever zone the reader sees, and link there', async () => {
    const { page } = await openIn(calibrated('06-22=55,22-06=45'), '/?live=off&time_zone=Asia/Tokyo');
    await expect
      .poll(async () => (await linesOf(lastNight(page)))[0])
      .toBe('Last night 10:00 PM–6:00 AM GMT+1');
    expect((await linesOf(today(page)))[0]).toBe('Today since 6:00 AM GMT+1');
    const requested = async (from: string, to: string) => {
      await settled(page);
      expect(await lastInput(page, 'stats.summary')).toMatchObject({ from, to });
    };
    await lastNight(page).click();
    await expect.poll(() => parameter(page, 'show')).toBe('last-night');
    await requested('2026-02-28T21:00:00.000Z', '2026-03-01T05:00:00.000Z');
    await today(page).click();
    await expect.poll(() => rangeOf(page)).toEqual(['2026-03-01T05:00:00.000Z', 'now']);
    await requested('2026-03-01T05:00:00.000Z', iso(MINUTE_OF_NOW));
  });

  it('show an unknown verdict after a timeout, until the reader retries', async () => {
    const { page } = await openIn(calibrated('06-22=55,22-06=45'), '/?live=off', false);
    const verdict = async () => (await linesOf(lastNight(page)))[1];
    await expect.poll(verdict).toBe('▲ 7.2 dB over the limit');
    const data = { code: 'GATEWAY_TIMEOUT', httpStatus: 504 };
    const error = { message: 'The query took longer than allowed', code: -32064, data };
    await page.route('**/trpc/*stats.limits*', (route) => route.fulfill({ status: 504, json: { error } }));
    await page.reload();
    for (const card of [lastNight(page), today(page)])
      await expect
        .poll(async () => (await linesOf(card)).slice(1))
        .toEqual(['? Unknown', 'The answer took too long.', '']);
    await page.unroute('**/trpc/*stats.limits*');
    await page.getByRole('button', { name: 'Try everything again' }).click();
    await expect.poll(verdict).toBe('▲ 7.2 dB over the limit');
  });

  it('show the level now on a meter with the current limit, beside the usual level at this hour', async () => {
    const { at, page } = await openIn(calibrated('06-22=55,22-06=45'), '/');
    const now = page.locator('.card.now');
    const said: string[][] = [];
    for (const level of [-30, -43.5, -50]) {
      await at.sql(`delete from audio_data where time > '${iso(AT - MINUTE)}'`);
      await at.sql(`insert into audio_data values ('${iso(AT - 1000)}', ${level}, 440, false)`);
      await page.reload();
      const reading = () => now.locator('.level').innerText();
      await expect.poll(reading).toMatch(new RegExp(`${text(level + 90)}\\s*dB`));
      await expect
        .poll(() => linesOf(now))
        .toEqual(['Now', expect.stringMatching(/1:00 PM · limit 55 dB\(A\) · 440 Hz$/)]);
      said.push(await linesOf(now));
      const marks = await now
        .locator('.meter > div')
        .evaluateAll((all) => all.map((mark) => [mark.className, mark.getAttribute('style')]));
      expect(marks).toEqual([
        ['bar', `transform: scaleX(${(level + 50) / 50});`],
        ['peak', `transform: translateX(${((level + 50) / 50) * 100}%);`],
        ['limit', 'transform: translateX(30%);'],
      ]);
      const meter = now.getByRole('meter', { name: 'Level now' });
      expect(await meter.evaluate((of: HTMLMeterElement) => [of.min, of.value, of.max])).toEqual([
        ...[40, level + 90, 90],
      ]);
    }
    expect(said.map(([, line]) => line)).toEqual([
      '12.0 dB louder than usual for 1:00 PM · limit 55 dB(A) · 440 Hz',
      'usual for 1:00 PM · limit 55 dB(A) · 440 Hz',
      '8.0 dB quieter than usual for 1:00 PM · limit 55 dB(A) · 440 Hz',
    ]);
  });
});
