// The menu of the page: the reader's language (the browser's by default), colours and time zone.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { parseLimits } from '../../src/contract/limits.ts';
import { de } from '../../src/texts/de.ts';
import { en } from '../../src/texts/en.ts';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import {
  address,
  browse,
  chartOf,
  colourOf,
  END,
  HOUR,
  iso,
  openMenu,
  panel,
  parameter,
  settled,
  text,
} from './browse.ts';

/** Words that both languages share, such as names, units and months. */
const SAME = new Set(
  'API Audio Metrics CSV PDF JavaScript TypeScript Enter English Deutsch ISO Live live Recorder Station System log still fast slow Maxima Maximum Minimum Leq LAFmax LCpeak Lden Lday Levening Lnight Lmax SEL SPL dBFS kHz min UTC Europe Vienna PostgreSQL PGlite TimescaleDB default test unknown Jan Feb Apr Jun Jul Aug Sep Nov also was time weighting max'.split(
    ' ',
  ),
);
const wordsOf = (texts: readonly string[]) => new Set(texts.join(' ').match(/\p{L}{3,}/gu));
function shared(some: readonly string[], others: readonly string[]): string[] {
  const known = wordsOf(others);
  return [...wordsOf(some)].filter((word) => known.has(word) && !SAME.has(word));
}

/** A parameter, or an object of parameters. */
const PARAMETER = new Proxy({}, { get: (_, name) => (name === Symbol.toPrimitive ? () => '§' : '§') });

/** Every text, with § in place of each parameter. */
function leavesOf(texts: unknown): string[] {
  if (typeof texts === 'function') return leavesOf(texts(PARAMETER, PARAMETER, PARAMETER, PARAMETER));
  if (typeof texts === 'object' && texts !== null) return Object.values(texts).flatMap(leavesOf);
  return [String(texts)];
}

it('has every text in German', () => {
  const [english, german] = [leavesOf(en), leavesOf(de)];
  expect(german.length).toBe(english.length);
  expect(english.flatMap((each, index) => shared([each], [german[index] ?? '']))).toEqual([]);
  const signs = (each = '') => each.replace(/[^§]/g, '');
  expect(german.map(signs)).toEqual(english.map(signs));
});

describe('the menu of the page', needs('Chromium', chromiumPath), () => {
  const day = browse();

  /** Everything that a reader may see or hear, including closed menus and the report, except addresses and code. */
  const textsOf = (page: Page) =>
    page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'));
      const all = [...document.body.querySelectorAll('*')].filter(
        (element) => !element.closest('code, noscript, .address a'),
      );
      const written = all.flatMap(({ childNodes }) =>
        [...childNodes].flatMap((node) => (node instanceof Text ? node.data : [])),
      );
      const names = ['aria-label', 'title', 'placeholder', 'alt'];
      const named = all.flatMap((element) => names.flatMap((name) => element.getAttribute(name) ?? []));
      dispatchEvent(new Event('afterprint'));
      return [...written, ...named];
    });

  const languageOf = (page: Page) => page.locator('html').getAttribute('lang');

  it('has no English left on either page for a browser that prefers German', async () => {
    const limits = parseLimits('06-22=59.8,22-06=54.3') ?? [];
    const at = await day.beside({
      site: { timeZone: 'Europe/Vienna', name: null, limits, calibrationOffsetDb: 94.3 },
      recorderOf: () => ({ running: false, since: instantOf(END), restarts: 1, last_exit: null }),
    });
    const open = (path: string, languages: string[], heading: string | RegExp) =>
      day.open(path, {
        ...{ at, heading, isSettled: false },
        before: (page) =>
          page.addInitScript((languages) => {
            Object.defineProperty(navigator, 'languages', { value: languages });
          }, languages),
      });
    const textsIn = async (...languages: string[]) => {
      const page = await open(address(END - 4 * 24 * HOUR, END, '&live=unknown'), languages, 'Audio Metrics');
      await settled(page);
      await chartOf(page).press('Home');
      await page.locator('.behind').waitFor();
      const list = await open('/stations/', languages, /^Station/);
      await list.locator('tbody tr').waitFor();
      return {
        page,
        languages: [await languageOf(page), await languageOf(list)],
        texts: [...(await textsOf(page)), ...(await textsOf(list))],
      };
    };
    const [english, german] = [await textsIn('fr', 'en-US'), await textsIn('de-AT', 'en-US')];
    expect([english.languages, german.languages]).toEqual([
      ['en', 'en'],
      ['de', 'de'],
    ]);
    expect(english.texts.length).toBeGreaterThan(400);
    expect(shared(english.texts, german.texts)).toEqual([]);
    // numbers are German too
    const { body } = await at.get(`/stats/summary?from=${iso(END - 4 * 24 * HOUR)}&to=${iso(END)}`);
    expect(await panel(german.page, 'Kennwerte').locator('dd').first().innerText()).toBe(
      `${text(body.leq_db + 94.3).replace('.', ',')} dB`,
    );
  });

  it('shows the page in the chosen language, and remembers it', async () => {
    const page = await day.open(address(END - HOUR));
    await openMenu(page);
    await page.getByLabel('Language').selectOption('Deutsch');
    await panel(page, 'Pegel').waitFor();
    await settled(page);
    expect(await languageOf(page)).toBe('de');
    await page.goto(`${day.service.url}/stations/`);
    await page.getByRole('heading', { name: 'Stationen' }).waitFor();
    await page.getByRole('button', { name: 'Menü der Seite' }).click();
    await page.getByLabel('Sprache').selectOption('English');
    await page.getByRole('heading', { name: 'Stations' }).waitFor();
    expect(await page.title()).toBe('Stations');
  });

  /** Whether the level chart has a line in the current theme's colour. */
  const isDrawnAnew = async (page: Page) => {
    const colour = await colourOf(page, '--leq');
    return page
      .locator('canvas')
      .first()
      .evaluate((canvas: HTMLCanvasElement, [r, g, b]) => {
        const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? {
          data: [],
        };
        return data.some((red, at) => at % 4 === 0 && red === r && data[at + 1] === g && data[at + 2] === b);
      }, colour);
  };

  it('shows light or dark colours, as chosen, whatever the system prefers', async () => {
    const page = await day.open(address(END - HOUR), { scheme: 'dark' });
    const isDark = async () => Math.max(...(await colourOf(page, '--page'))) < 128;
    expect(await isDark()).toBe(true);
    await openMenu(page);
    const colours = page.getByLabel('Colours');
    for (const theme of ['Light', 'Dark', 'Light']) {
      await colours.selectOption(theme);
      await expect.poll(isDark).toBe(theme === 'Dark');
      await expect.poll(() => isDrawnAnew(page)).toBe(true);
    }
    await page.reload();
    await settled(page);
    expect(await isDark()).toBe(false);
    await openMenu(page);
    expect(await colours.inputValue()).toBe('light');
    await colours.selectOption('System');
    await expect.poll(isDark).toBe(true);
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(isDark).toBe(false);
    await expect.poll(() => isDrawnAnew(page)).toBe(true);
  });

  it("shows times in a zone other than the place's", async () => {
    const at = await day.beside({ site: { timeZone: 'Asia/Kolkata' } });
    const page = await day.open('/?from=2026-01-15T00:00:00.000Z&to=2026-01-15T06:00:00.000Z&live=off', {
      at,
    });
    const range = () => page.getByRole('toolbar', { name: 'Range' }).locator('.dates').innerText();
    expect(await range()).toMatch(/5:30 – 11:30\sAM$/);
    await openMenu(page);
    await page.getByLabel('Time zone').selectOption('UTC');
    await expect.poll(() => parameter(page, 'time_zone')).toBe('UTC');
    await expect.poll(range).toMatch(/12:00 – 6:00\sAM UTC$/);
    await page.getByLabel('Time zone').selectOption('Asia/Kolkata (the microphone)');
    await expect.poll(() => parameter(page, 'time_zone')).toBe(null);
  });
});
