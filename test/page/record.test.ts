// What an official needs in a report: verdicts, exclusions, overload, and the equipment.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Outputs } from '../../src/client/index.ts';
import { parseLimits } from '../../src/contract/limits.ts';
import { measurementOf } from '../../src/contract/station.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import { address, browse, END, HOUR, iso, tabOf, text } from './browse.ts';

const DAY = 24 * HOUR;

describe('the record of a measurement', needs('Chromium', chromiumPath), () => {
  const day = browse();
  const from = END - DAY;
  const [rain, rainEnd] = [END - 20 * HOUR, END - 18 * HOUR];

  beforeAll(() =>
    day.service.sql(`
      insert into audio_data_periods (since, weighting, reference_db, interval_ms, statistic, channel, counts_overload)
        values ('${iso(from - HOUR)}', 'A', 90, 10000, 'leq', 'mean', true);
      insert into audio_data_overload values ('${iso(END - 3 * HOUR)}', 2);
      insert into audio_data_exclusions (since, until, reason, made_by)
        values ('${iso(rain)}', '${iso(rainEnd)}', 'heavy rain', 'M. Maier');
      insert into audio_data_calibrations values
        ('${iso(from - 2 * DAY)}', 94, 1000, 120.11, 'mean'),
        ('${iso(from - 6 * HOUR)}', 94, 1000, 120.17, 'mean'),
        ('${iso(END + HOUR)}', 94, 1000, 119.92, 'mean')`),
  );

  const site = {
    timeZone: 'UTC',
    limits: parseLimits('10-22=75,22-10=45:3') ?? [],
    assess: 'hour' as const,
    minMeasuredPercent: 0,
    uncertaintyDb: 1.5,
    measurement: measurementOf({
      position: 'Window sill, second floor',
      height_m: 7.5,
      facade_distance_m: 0,
      microphone: 'UMIK-1, 7001234',
      calibrator: 'CAL73, 61012',
      windscreen: '90 mm foam',
      operator: 'Environmental office',
    }),
  };

  async function reportOf(page: Page): Promise<string> {
    await page.evaluate(() => {
      globalThis.print = () => document.body.classList.add('printed');
    });
    await page.getByRole('button', { name: 'Report' }).click();
    await page.locator('body.printed').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    return (await page.locator('main').innerText()).replace(/\s+/g, ' ');
  }

  it('is in the report: verdicts, exclusions, overload, position, equipment and calibration', async () => {
    const at = await day.beside({ site });
    const page = await day.open(address(from), { at });
    const { body } = await at.get(`/stats/limits?from=${iso(from)}&to=${iso(END)}&levels=absolute`);
    const answer: Outputs['stats']['limits'] = body;
    const report = await reportOf(page);
    const sentences = { over: '▲ over', under: '✓ within', undecided: '? not decided' };
    for (const { state, start, end, assessed_db, limit_db, penalty_db } of answer.limits) {
      if (state === null) throw new Error('Nothing is judged');
      const [mark, word] = sentences[state].split(/ (.*)/);
      expect(report).toContain(`${mark} ${start}–${end}: ${word}`);
      expect(report).toContain(`${text(assessed_db)} against ${limit_db} dB(A) (the loudest hour, `);
      if (penalty_db > 0) expect(report).toContain('including a penalty of 3 dB, uncertainty ± 1.5 dB');
    }
    expect(answer.limits.map(({ state }) => state)).toEqual(['under', 'over']);
    expect(report).toContain('2 h of this interval is excluded');
    // of 24 hours, one is a gap and two are excluded
    const { body: quality } = await at.get(`/stats/quality?from=${iso(from)}&to=${iso(END)}`);
    const measured = (percent: number) => `measured ${percent.toFixed(1)} %`;
    expect(report).toContain(`dB(A), ${measured(quality.coverage_percent - (100 * 2) / 24)}`);
    expect(report).toContain(`${measured(quality.coverage_percent)} of the time, excluded time included`);
    expect(report).toContain(`Coverage ${quality.coverage_percent.toFixed(1)} %, excluded time included`);
    expect(report).toMatch(/Excluded Length Reason .*2 h heavy rain \(M\. Maier\)/);
    expect(report).toContain('The sound was overloaded in < 0.1 % of the windows');
    expect(report).toContain(
      'Position Window sill, second floor, 7.5 m above the ground, 0 m from the facade',
    );
    expect(report).toContain(
      'Equipment microphone UMIK-1, 7001234, calibrator CAL73, 61012, windscreen 90 mm foam',
    );
    expect(report).toContain('recordable from 40.0 to 90.0 dB(A)');
    expect(report).toContain('Operator Environmental office');
    expect(report).toContain('reference 90.0 dB, mean of the channels');
    expect(report).toMatch(
      /Calibration [^;]*94 dB at 1,000 Hz, full scale 120\.17 dB, \+0\.06 dB since the previous check; [^;]*full scale 119\.92 dB, −0\.25 dB since the previous check/,
    );
    expect(report).not.toContain('120.11');
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  });

  it('is on screen: exclusions in two tabs, and overload as a notice', async () => {
    const at = await day.beside({ site });
    const page = await day.open(address(from), { at });
    await page.getByText('The sound was overloaded in < 0.1 % of the windows').waitFor();
    const quality = await (await tabOf(page, 'Quality')).innerText();
    expect(quality).toContain('< 0.1 % overloaded');
    expect(quality).toContain('heavy rain (M. Maier)');
    expect(await (await tabOf(page, 'Figures')).innerText()).toContain('2 h of this interval is excluded');
    expect(await (await tabOf(page, 'Limits')).innerText()).toMatch(
      /assessed: the loudest hour; uncertainty ± 1\.5 dB/,
    );
  });

  it.each([1280, 360])('shows limits without sideways scrolling on a screen of %i px', async (width) => {
    const at = await day.beside({ site });
    const page = await day.open(address(from), { at, width });
    await tabOf(page, 'Limits');
    const [shown, whole] = await page
      .getByRole('tabpanel')
      .evaluate(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth]);
    expect(whole).toBe(shown);
  });

  it('shows no overload in the headline if the overload is excluded', async () => {
    const at = await day.beside({ site });
    await at.sql(`insert into audio_data_overload values ('${iso(rain + HOUR)}', 2)`);
    const page = await day.open(address(rain, rainEnd + HOUR), { at });
    const report = await reportOf(page);
    expect(report).toMatch(/[\d.]+ % overloaded/);
    expect(report).not.toContain('The sound was overloaded');
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  });

  it('names what is missing: overload reports, a record and a calibration check', async () => {
    const at = await day.beside({});
    await at.sql('update audio_data_periods set counts_overload = null');
    const page = await day.open(address(from), { at });
    const report = await reportOf(page);
    expect(report).toContain('overload not reported by the recorder');
    expect(report).not.toMatch(/Position|Equipment|Operator|overloaded/);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  });
});
