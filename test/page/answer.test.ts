// What readers look for: events ranked, days in one zone for all readers, and limits.
import { describe, expect, it } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import { parseLimits } from '../../src/contract/limits.ts';
import { createBandText } from '../../src/texts/quantity-text.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import {
  address,
  browse,
  cellsOf,
  END,
  eventsIn,
  HOUR,
  iso,
  lastInput,
  otherService,
  panel,
  parameter,
  settled,
  tabOf,
  text,
} from './browse.ts';

const DAY = 24 * HOUR;

describe('the answers of the page', needs('Chromium', chromiumPath), () => {
  const day = browse();

  it('ranks events, links to each, and says how many it lists', async () => {
    const service = await otherService();
    await service.sql('truncate audio_data');
    // an event every ten minutes; the loudest is not the newest
    await service.sql(`insert into audio_data
      select time, case when extract(epoch from time)::bigint % 600 > 0 then -50
        when time = '${iso(END - 2 * HOUR)}' then -2 else -20 - extract(hour from time) / 4 end, 700, false
      from generate_series('${iso(END - DAY)}'::timestamptz, '${iso(END - 10_000)}', interval '10 s') time`);
    const page = await day.open(address(END - DAY, END), { at: service });
    const events = await tabOf(page, 'Events');
    const { body }: { body: Outputs['stats']['why'] } = await service.get(
      `/stats/why?from=${iso(END - DAY)}&to=${iso(END)}`,
    );
    const runs = body.parts.flatMap(({ episodes }) => episodes.flatMap((episode) => episode.runs));
    const inside = runs.filter(({ from, to }) => Date.parse(from) < END && Date.parse(to) > END - DAY);
    const drawn = await page
      .locator('.why-lane path')
      .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
    expect(drawn.join().match(/M/g)).toHaveLength(inside.length);
    const [newest, loudest] = [eventsIn(body, 'newest'), eventsIn(body, 'loudest')];
    expect(newest.length).toBeGreaterThan(100);
    const shown = () => cellsOf(events.locator('table'));
    expect(await shown()).toEqual(newest.slice(0, 100));
    expect(await events.locator('caption').innerText()).toBe(`100 of ${newest.length} events, dBFS`);
    await events.getByRole('button', { name: 'loudest' }).click();
    await expect.poll(shown).toEqual(loudest.slice(0, 100));
    await events.locator('tbody').getByRole('button').first().click();
    await expect.poll(() => parameter(page, 'to')).not.toBe(iso(END));
    await settled(page);
    expect(await panel(page, 'Level').innerText()).toContain('highest level −2.0');
    const long = await day.open(address(END - 32 * DAY, END));
    expect(await (await tabOf(long, 'Events')).innerText()).toContain('at most 31 days');
  });

  it('reads the map of pitches at the pointer', async () => {
    const page = await day.open(address(END - DAY, END));
    const pitch = await tabOf(page, 'Pitch');
    const { body }: { body: Outputs['stats']['frequencies'] } = await day.service.get(
      `/stats/frequencies?from=${iso(END - DAY)}&to=${iso(END)}`,
    );
    const map = pitch.getByRole('img');
    const { width = 0, height = 0 } = (await map.boundingBox()) ?? {};
    const [bucket, band] = [Math.floor(0.9 * body.buckets.length), Math.floor(0.6 * body.bands.length)];
    const { point_count, counts } = body.buckets[bucket] ?? { point_count: 0, counts: [] };
    await map.hover({
      position: {
        x: ((bucket + 0.5) / body.buckets.length) * width,
        y: (1 - (band + 0.5) / body.bands.length) * height,
      },
    });
    const share = ((100 * (counts[band] ?? 0)) / point_count).toFixed(1);
    await expect
      .poll(() => pitch.innerText())
      .toMatch(
        new RegExp(`${createBandText('en-US')(body.bands[band]?.nominal_hz ?? 0)}: ${share} % of the points`),
      );
  });

  it('has one tab at a time, one stop of the Tab key for all of them, and asks only for the chosen one', async () => {
    const page = await day.open(address(END - 2 * DAY));
    const tabs = page.getByRole('tab');
    const chosen = () => page.locator('[role=tab][aria-selected=true]').allInnerTexts();
    expect(await tabs.allInnerTexts()).toEqual(['Figures', 'Events', 'Pitch', 'Lden', 'Quality']);
    const height = async () => (await page.locator('.tables').boundingBox())?.height;
    const before = await height();
    expect(await lastInput(page, 'stats.days')).toBe(undefined);
    await tabs.first().focus();
    for (const name of ['Events', 'Pitch', 'Lden']) {
      await page.keyboard.press('ArrowRight');
      await settled(page);
      expect(await chosen()).toEqual([name]);
      expect(await page.getByRole('tabpanel').count()).toBe(1);
      expect(await panel(page, name).count()).toBe(1);
      expect(await height()).toBe(before);
    }
    expect(await lastInput(page, 'stats.days')).not.toBe(undefined);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Lden');
  });

  it('shows the same days to two readers in two zones', async () => {
    let move = async (_timezoneId: string) => {};
    const page = await day.open(address(END - 4 * DAY), {
      async before(page) {
        const devTools = await page.context().newCDPSession(page);
        move = async (timezoneId) =>
          void (await devTools.send('Emulation.setTimezoneOverride', { timezoneId }));
        await move('Pacific/Auckland');
      },
    });
    const days = async () => (await tabOf(page, 'Lden')).locator('td, th').allInnerTexts();
    const shown = await days();
    expect(shown.length).toBeGreaterThan(20);
    await move('America/Los_Angeles');
    await page.reload();
    expect(await days()).toEqual(shown);
  });

  it('marks the levels of days that may be lower, and the measured share of the whole parts', async () => {
    const other = await otherService();
    await other.sql('truncate audio_data');
    // six hours of day, then six at the floor, except for two minutes of each
    await other.sql(`insert into audio_data select time,
        case when time < '2026-05-11T19:00Z' or extract(minute from time) between 10 and 11 then -20 else -50 end, 500, false
      from generate_series('2026-05-11T13:00Z'::timestamptz, '2026-05-12T00:59:30Z', interval '30 s') time`);
    const path = address(Date.parse('2026-05-11T07:00Z'), END, '&live=off&time_zone=UTC');
    const page = await day.open(path, { at: other });
    expect((await cellsOf((await tabOf(page, 'Lden')).locator('table')))[0]).toEqual([
      ...['−20.0', '≤ −34.6', '≤ −34.6', '−22.0', '−22.9'],
      '50 % / 100 % / 25 %',
    ]);
  });

  it('shows sound pressure levels if the microphone is calibrated, and the excess over limits by time of day', async () => {
    const limits = parseLimits('00-12=59.8,12-24=54.3') ?? []; // all parts have ended
    const at = await day.beside({ site: { name: null, timeZone: 'UTC', limits, calibrationOffsetDb: 94.3 } });
    const page = await day.open(address(END - 2 * DAY), { at });
    const interval = `from=${iso(END - 2 * DAY)}&to=${iso(END)}`;
    await expect.poll(() => panel(page, 'Figures').innerText()).toContain('91.3 dB'); // the peak of -3
    const { body } = await at.get(`/stats/limits?${interval}&events=true`);
    const answer: Outputs['stats']['limits'] = body;
    const level = (db: number | null) => text(db === null ? null : db + 94.3);
    const tables = (await tabOf(page, 'Limits')).locator('table');
    const rows = await cellsOf(tables.first());
    expect(answer.limits.map((_, column) => rows.map((row) => row[column]))).toEqual(
      answer.limits.map(({ limit_db, leq_db, minutes_over, minute_count, ...of }) => [
        String(limit_db),
        level(leq_db),
        text(of.assessed_db),
        verdictOf({ ...of, limit_db }),
        `${of.measured_percent?.toFixed(1)} %`,
        `${of.parts_over} of ${of.part_count}`,
        `${minutes_over} of ${minute_count}`,
        String(of.event_count),
      ]),
    );
    expect(answer.limits.map(({ limit_db }) => limit_db)).toEqual([59.8, 54.3]);
    await panel(page, 'Limits').getByText('Period by period').click();
    expect(await cellsOf(tables.last())).toEqual(
      answer.parts.map((part) => [
        String(part.limit_db),
        level(part.leq_db),
        text(part.assessed_db),
        verdictOf(part),
        `${part.measured_percent?.toFixed(1)} %`,
        String(part.minutes_over),
      ]),
    );
  });
});

/** The text that the tables of limits use. */
function verdictOf({
  state,
  reason,
  assessed_db,
  limit_db,
}: Pick<Outputs['stats']['limits']['parts'][number], 'state' | 'reason' | 'assessed_db' | 'limit_db'>) {
  const verdicts = {
    over: `${text((assessed_db ?? 0) - limit_db)} dB over the limit`,
    under: 'within the limit',
    undecided: reason === 'not_yet' ? 'within the limit so far' : expect.stringMatching(/^not decided/),
  };
  return state === null ? 'no whole period' : verdicts[state];
}
