// The list of stations, their menu on the page of one station, and the keys for its neighbours.
import { beforeAll, describe, expect, it } from 'vitest';
import { StationsOutput } from '../../src/operations/stations/contract.ts';
import { WhyOutput } from '../../src/operations/stats/why/contract.ts';
import { createCauseText } from '../../src/texts/cause-text.ts';
import { en } from '../../src/texts/en.ts';
import { chromiumPath } from '../browser.ts';
import { engineOfWire, openForAll } from '../engines.ts';
import { needs } from '../needs.ts';
import { NOW, startBeside, type TestService } from '../service.ts';
import { makeStation } from '../stations.ts';
import { browse, panel, settled, text } from './browse.ts';
import { violationsOf } from './looks.ts';

const LIMITS = {
  time_zone: 'Europe/Vienna',
  limits: '06-22=55,22-06=45',
  calibration_offset_db: 95,
  weighting: 'A',
} as const;
const NIGHT = ['2026-02-28T21:00:00Z', '2026-03-01T05:00:00Z'] as const;
const NOON = ['2026-03-01T11:30:00Z', '2026-03-01T12:00:01Z'] as const;

describe('the stations', needs('Chromium', chromiumPath), () => {
  const day = browse();
  const database = openForAll(() => engineOfWire().open());
  let at: TestService;

  // one too loud, one not, one that lost half of a night; the default station has no limits
  beforeAll(async () => {
    at = await startBeside(database, { livePollMs: 100 });
    await makeStation(database, 'garden', { ...LIMITS, place_name: 'Elm Street 4' });
    await makeStation(database, 'yard', { ...LIMITS, calibration_offset_db: 90 });
    await makeStation(database, 'street', LIMITS);
    const store = (station: string, from: string, to: string, level: number) =>
      at.sql(`insert into ${station}.audio_data (time, rms_db) select time, ${level}
        from generate_series('${from}'::timestamptz, '${to}'::timestamptz - interval '1 s', interval '10 s') time`);
    await store('public', '2026-03-01T08:00:00Z', '2026-03-01T09:00:00Z', -40);
    await store('garden', ...NIGHT, -49);
    await at.sql(
      `update garden.audio_data set rms_db = -30 where time between '2026-03-01T01:40Z' and '2026-03-01T02:25Z'`,
    );
    await store('garden', ...NOON, -30);
    await store('yard', ...NIGHT, -49);
    await store('yard', ...NOON, -45);
    await store('street', NIGHT[0], '2026-03-01T01:00:00Z', -47);
    return () => at.close();
  });

  const open = (path: string, heading: string) =>
    day.open(path, {
      ...{ at, heading, isSettled: false },
      before: (page) => page.clock.setFixedTime(Date.parse(NOW)),
    });

  /** Stores a point in a new station, and waits until the list, which may be three seconds old, contains it. */
  async function storeFirst(station: string): Promise<void> {
    await at.sql(`insert into ${station}.audio_data (time, rms_db) values ('${NOON[0]}', -12.5)`);
    const listed = async () => StationsOutput.parse((await at.get('/stations')).body).stations;
    await expect
      .poll(listed)
      .toContainEqual(expect.objectContaining({ name: station, newest: expect.any(String) }));
  }

  it('are listed with last night, its loudest cause and their fortnight, the worst first', async () => {
    const page = await open('/stations/', 'Stations');
    const { body } = await at.get('/stations');
    const all = new Map(StationsOutput.parse(body).stations.map((each) => [each.name, each]));
    const order = ['garden', 'default', 'street', 'yard'];
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(4);
    const cells = async () => {
      const found = await rows.evaluateAll((all) =>
        all.map((row) =>
          [...row.querySelectorAll<HTMLElement>('th, td:not(.fortnight)')].map((cell) => cell.innerText),
        ),
      );
      return found.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ').trim()));
    };
    const over = (all.get('garden')?.night?.leq_db ?? 0) + 95 - 45;
    const why = await fetch(`${at.url}/stations/garden/api/v1/stats/why?from=${NIGHT[0]}&to=${NIGHT[1]}`);
    const [episode] = WhyOutput.parse(await why.json()).parts[0]?.episodes ?? [];
    const cause = episode && createCauseText(en, 'en-US')(episode);
    await expect.poll(cells).toEqual([
      ['Elm Street 4', `▲ ${text(over)} dB over the limit`, cause, '65.0 dB', 'Recording, 1:00 PM'],
      ['default', 'no limit', '', '–', 'Recorder offline, 8:59 AM'],
      ['street', '? not decided: too little was measured (49 %)', '', '–', 'Recorder offline, 1:59 AM'],
      ['yard', '✓ 4.0 dB under the limit', '', '45.0 dB', 'Recording, 1:00 PM'],
    ]);
    await page.getByRole('region', { name: '1 of 3 over last night, 2 silent' }).waitFor();
    const links = await rows
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual(order.map((name) => `${at.url}${all.get(name)?.path}`));
    const squares = (row: number) =>
      rows
        .nth(row)
        .locator('.squares i')
        .evaluateAll((all) => all.map(({ className }) => className));
    const before = Array(13).fill(''); // before the first point
    await expect.poll(() => squares(0)).toEqual([...before, 'over']);
    await expect.poll(() => squares(2)).toEqual([...before, 'lacking']);
    await expect.poll(() => squares(3)).toEqual([...before, 'under']);
    expect(await squares(1)).toEqual([]);
    expect(await rows.nth(0).getByRole('img').getAttribute('aria-label')).toBe('1 of 1 night over the limit');
    for (const [width, colorScheme, forcedColors] of [
      [1280, 'light', 'none'],
      [360, 'dark', 'none'],
      [360, 'light', 'active'],
    ] as const) {
      await page.setViewportSize({ width, height: 740 });
      await page.emulateMedia({ colorScheme, forcedColors });
      expect(await violationsOf(page, { 'color-contrast': { enabled: forcedColors === 'none' } })).toEqual(
        [],
      );
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    const heights = await rows.evaluateAll((all) =>
      all.map((row) => Math.round(row.getBoundingClientRect().height)),
    );
    expect(Math.max(...heights)).toBe(60); // two lines at 360 px
    await at.sql(`insert into yard.audio_data (time, rms_db) values ('${NOW}', -12.5)`);
    await expect
      .poll(cells)
      .toContainEqual(['yard', '✓ 4.0 dB under the limit', '', '77.5 dB', 'Recording, 1:00 PM']);
    expect((await fetch(`${at.url}/stations/garden/stations/`)).status).toBe(404);
  });

  it('are in a menu on the page of one station, and keys lead to its neighbours, with the same view', async () => {
    const view = '?from=2026-02-28T21:00:00.000Z&to=2026-03-01T05:00:00.000Z&live=off';
    const urlOf = (path: string) => `${at.url}${path}${view}`;
    const page = await open(`/stations/garden/${view}`, 'Elm Street 4');
    await settled(page);
    const heading = page.getByRole('heading', { level: 1 }).getByRole('button');
    await heading.click();
    const links = page.locator('.menu:popover-open .station-links a');
    await expect.poll(() => links.allInnerTexts()).toEqual(['Elm Street 4', 'default', 'street', 'yard']);
    await expect.poll(() => page.locator('[aria-current=page]').innerText()).toBe('Elm Street 4');
    const filter = page.getByLabel('Type to filter');
    await filter.fill('S');
    await expect.poll(() => links.allInnerTexts()).toEqual(['Elm Street 4', 'street']);
    await filter.press(']');
    expect(page.url()).toBe(urlOf('/stations/garden/'));
    await filter.fill('street');
    await links.last().click();
    await expect.poll(() => page.url()).toBe(urlOf('/stations/street/'));
    await settled(page);
    // by name: default, Elm Street 4, street, yard
    for (const [key, path] of [
      ['[', '/stations/garden/'],
      ['[', '/'],
      [']', '/stations/garden/'],
      [']', '/stations/street/'],
      [']', '/stations/yard/'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => page.url()).toBe(urlOf(path));
      await settled(page);
      await heading.waitFor(); // as soon as its neighbours are known
    }
    await heading.click();
    await page.getByRole('link', { name: 'All stations' }).click();
    await page.getByRole('heading', { name: 'Stations' }).waitFor();
  });

  it("appear beside each other if one holds the second level of the other's microphone", async () => {
    await makeStation(database, 'garden_fast', { time_zone: 'Europe/Vienna' });
    await at.sql(`insert into garden_fast.audio_data_periods (since, weighting, time_weighting, reference_db, interval_ms, statistic)
      values ('${NOON[0]}', 'A', 'fast', 95, 10000, 'max')`);
    await storeFirst('garden_fast');
    const path = `/stations/garden/?from=${NOON[0]}&to=${NOON[1]}&live=off`;
    const page = await open(path, 'Elm Street 4');
    await settled(page);
    const figures = panel(page, 'Figures');
    await expect.poll(() => figures.innerText()).toMatch(/LAFmax\s*\?\s*82\.5\s*dB\(A\)/);
    expect(await figures.innerText()).toMatch(/Leq\s*\?\s*65\.0\s*dB/);
    const exclude = (station: string) =>
      at.sql(`insert into ${station}.audio_data_exclusions (since, until, reason)
        values ('${NOON[0]}', '2026-03-01T11:31:00Z', 'rain')`);
    await exclude('garden'); // but not garden_fast, whose values are in the tile beside it
    await page.reload();
    await figures.getByText('1 min').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await figures.innerText()).not.toContain('LAFmax');
    await exclude('garden_fast');
    await page.reload();
    await expect.poll(() => figures.innerText()).toMatch(/LAFmax/);
    await page.goto(`${at.url}${path.replace('garden', 'garden_fast')}`);
    const link = figures.getByRole('link', { name: 'Leq, Lden and limits: station garden' });
    expect(await link.getAttribute('href')).toBe(`${at.url}${path}`);
    expect(await figures.innerText()).toMatch(/Leq\s*\?\s*–/);
  });

  it('sends no request for a second level without a calibration, which the service would refuse', async () => {
    await makeStation(database, 'yard_fast', { time_zone: 'Europe/Vienna' });
    await storeFirst('yard_fast');
    const page = await open(`/stations/yard/?from=${NOON[0]}&to=${NOON[1]}&live=off`, 'yard');
    await page.getByRole('button', { name: 'yard' }).waitFor(); // the stations are known
    await settled(page);
    await page.waitForLoadState('networkidle');
    expect(await panel(page, 'Figures').innerText()).not.toContain('82.5'); // a refusal would be an error in the console
  });
});
