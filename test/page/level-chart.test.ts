// The level chart as drawn: red only over the limit of the hour, nights shaded, and nothing across time without levels.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { parseLimits } from '../../src/contract/limits.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import type { TestService } from '../service.ts';
import { address, browse, colourOf, END, HOUR, iso } from './browse.ts';

const DAY = 24 * HOUR;
/** The first midnight of the measurement, 30 days before the last one. */
const BEGIN = Date.parse('2026-04-12T00:00:00Z');

/** Levels are this much higher on the page. */
const OFFSET = 94.3;
const [QUIET, BY_DAY, OVER_BY_NIGHT, OVER_BY_DAY] = [-44, -36, -35, -30];
const LIMITS = '06-22=59.8,22-06=54.3';

/**
 * A point a minute, by day between the limits of the night and the day. Over its limit are the night that begins on the
 * tenth day, and six hours of the twentieth day. The 25th day lacks six hours, and excludes another six.
 */
async function storeMonth({ sql }: TestService): Promise<void> {
  await sql('truncate audio_data');
  await sql(`insert into audio_data
    select time, case
      when time >= '${iso(at(9, 22))}' and time < '${iso(at(10, 6))}' then ${OVER_BY_NIGHT}
      when time >= '${iso(at(19, 10))}' and time < '${iso(at(19, 16))}' then ${OVER_BY_DAY}
      when extract(hour from time at time zone 'UTC')::int between 6 and 21 then ${BY_DAY}
      else ${QUIET} end, 1000, false
    from generate_series('${iso(BEGIN)}'::timestamptz, '${iso(END - 60_000)}', interval '1 min') time
    where time < '${iso(at(24, 7))}' or time >= '${iso(at(24, 13))}'`);
  await sql(`insert into audio_data_exclusions (since, until, reason, made_by)
    values ('${iso(at(24, 15))}', '${iso(at(24, 21))}', 'heavy rain', 'M. Maier')`);
}

/** An hour of a day of the measurement. */
const at = (day: number, hour: number) => BEGIN + day * DAY + hour * HOUR;

/** The height of the labels at the top of the chart, in pixels. */
const LABELS = 40;

const MARKS = ['over', 'limit', 'leq', 'band', 'night', 'hatch'] as const;
type Mark = (typeof MARKS)[number];

describe('the level chart', needs('Chromium', chromiumPath), () => {
  const month = browse(storeMonth);

  /** Opens the page, and records the texts in its chart. */
  async function openChart(from: number, to: number) {
    const site = {
      name: null,
      timeZone: 'UTC',
      limits: parseLimits(LIMITS) ?? [],
      calibrationOffsetDb: OFFSET,
    };
    const beside = await month.beside({ site });
    const page = await month.open(address(from, to), {
      at: beside,
      before: (page) =>
        page.addInitScript(() => {
          const { prototype } = CanvasRenderingContext2D;
          const { fillText } = prototype;
          const texts: string[] = [];
          prototype.fillText = function write(...given) {
            texts.push(given[0]);
            fillText.apply(this, given);
          };
          Object.assign(globalThis, { texts });
        }),
    });
    const texts = () => page.evaluate((): string[] => Reflect.get(globalThis, 'texts'));
    return { page, texts };
  }

  /** @returns a function for the rows of pixels that have a mark between two times, the uppermost first */
  async function rowsOf(page: Page, from: number, to: number) {
    const panel = await colourOf(page, '--panel');
    const colours = await Promise.all(
      MARKS.map(async (mark) => {
        const colour = await colourOf(page, `--${mark}`);
        // a line 1.5 pixels wide covers three quarters of two rows
        return [colour, colour.map((part, i) => 0.75 * part + 0.25 * (panel[i] ?? Number.NaN))];
      }),
    );
    const columns = await page.evaluate(
      ({ colours, labels }) => {
        const canvas = document.querySelector('.chart canvas');
        const over = document.querySelector('.chart .u-over');
        const context = canvas instanceof HTMLCanvasElement && canvas.getContext('2d');
        if (!canvas || !over || !context) throw new Error('There is no chart');
        const [frame, area] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()];
        const [width, height] = [Math.round(area.width), Math.round(area.height)];
        const [left, top] = [Math.round(area.left - frame.left), Math.round(area.top - frame.top)];
        const { data } = context.getImageData(left, top, width, height);
        return Array.from({ length: width }, (_, x) =>
          colours.map((shades) =>
            Array.from({ length: height - labels }, (_, y) => y + labels).filter((y) =>
              shades.some((shade) =>
                shade.every((part, i) => Math.abs((data[(y * width + x) * 4 + i] ?? 0) - part) < 6),
              ),
            ),
          ),
        );
      },
      { colours, labels: LABELS },
    );
    const xOf = (time: number) => ((time - from) / (to - from)) * columns.length;
    return (mark: Mark, start: number, end: number): number[] => {
      // without the columns at the edges, which may show the neighbours too
      const between = columns.slice(Math.ceil(xOf(start)) + 1, Math.floor(xOf(end)) - 1);
      const rows = between.flatMap((column) => column[MARKS.indexOf(mark)] ?? []);
      return [...new Set(rows)].toSorted((a, b) => a - b);
    };
  }

  it('is red only between the limit of that hour and Leq, also in a month', async () => {
    const [from, to] = [at(0, 0), at(30, 0)];
    const { page } = await openChart(from, to);
    const over = async () => (await rowsOf(page, from, to))('over', at(9, 22), at(10, 6));
    await expect.poll(over).not.toEqual([]);
    expect(await page.locator('.chart .legend').innerText()).toContain('L90 to L10');
    const rows = await rowsOf(page, from, to);
    for (let day = 0; day < 29; day++) {
      if (day !== 19) expect(rows('over', at(day, 6), at(day, 22)), `day ${day}`).toEqual([]);
      if (day !== 9) expect(rows('over', at(day, 22), at(day, 30)), `night ${day}`).toEqual([]);
    }
    const middle = (lines: number[]) => lines[Math.floor(lines.length / 2)] ?? Number.NaN;
    const [byDay, byNight] = [
      middle(rows('limit', at(2, 6), at(2, 22))),
      middle(rows('limit', at(2, 22), at(2, 30))),
    ];
    expect(byDay).toBeLessThan(byNight);
    const rowAt = (level: number) => byDay + ((59.8 - level) * (byNight - byDay)) / (59.8 - 54.3);
    for (const [level, limit, start, end] of [
      [OVER_BY_NIGHT, byNight, at(9, 22), at(10, 6)],
      [OVER_BY_DAY, byDay, at(19, 10), at(19, 16)],
    ] as const) {
      const red = rows('over', start, end);
      // the lines hide the edges
      expect(Math.abs((red.at(0) ?? Number.NaN) - rowAt(level + OFFSET))).toBeLessThanOrEqual(4);
      expect(Math.abs((red.at(-1) ?? Number.NaN) - limit)).toBeLessThanOrEqual(4);
    }
  });

  it('has a ground for nights, and draws nothing across time without levels', async () => {
    const [from, to] = [at(23, 18), at(25, 8)];
    const { page, texts } = await openChart(from, to);
    await expect.poll(texts).toEqual(expect.arrayContaining(['no data', 'left out: heavy rain']));
    expect(await page.locator('.chart .legend').innerText()).toContain('L90 to L10');
    const rows = await rowsOf(page, from, to);
    const [night, day] = [
      [at(24, 0), at(24, 6)],
      [at(24, 13), at(24, 15)],
    ] as const;
    expect(rows('night', ...night)).not.toEqual([]);
    expect(rows('night', ...day)).toEqual([]);
    for (const mark of ['limit', 'leq'] as const) expect(rows(mark, ...day), mark).not.toEqual([]);
    expect(rows('hatch', ...day).length).toBeLessThan(10); // the ends of dashes are grey too
    expectBlank(rows, at(24, 7), at(24, 13));
    expectBlank(rows, at(24, 15), at(24, 21));
  });

  it('draws nothing before the first point, and says when recording began', async () => {
    const [from, to] = [at(-1, 0), at(1, 0)];
    const { page, texts } = await openChart(from, to);
    await expect.poll(texts).toContainEqual(expect.stringMatching(/^recording began Apr 12, 12:00\sAM$/));
    expectBlank(await rowsOf(page, from, to), from, at(0, 0));
  });

  function expectBlank(rows: Awaited<ReturnType<typeof rowsOf>>, start: number, end: number): void {
    expect(rows('hatch', start, end).length).toBeGreaterThan(100);
    for (const mark of ['over', 'limit', 'leq', 'band', 'night'] as const)
      expect(rows(mark, start, end), mark).toEqual([]);
  }
});
