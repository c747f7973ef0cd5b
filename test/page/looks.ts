// How the page looks at a width, in a theme: what is wrong with it for a reader.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { address, END, HOUR, panel, settled } from './browse.ts';

/** Shows every panel. */
export const LOOKS = address(END - 4 * 24 * HOUR, END, '&live=off&threshold=-25');

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Opens what is folded at first. */
export async function foldOut(page: Page): Promise<void> {
  await panel(page, 'Days').waitFor();
  await page.getByRole('checkbox', { name: 'As a table' }).check();
  await page.getByLabel('API call of Level').click();
}

/** Nothing is wider than the page at any of these widths. */
export async function scrollsAlone(page: Page, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    const scrolled = () => page.evaluate(() => document.documentElement.scrollWidth);
    await expect.poll(scrolled, { message: `at ${width} px` }).toBe(width);
  }
}

type Look = readonly [width: number, scheme: 'light' | 'dark', forcedColors: 'none' | 'active'];

/** What axe finds wrong. */
export async function violationsOf(page: Page, rules = {}): Promise<string[][]> {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  return page.evaluate(async (rules) => {
    // biome-ignore lint/suspicious/noExplicitAny: what was just put there
    const { violations } = await (globalThis as any).axe.run({ rules });
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [
      id,
      ...nodes.map(({ html }) => html),
    ]);
  }, rules);
}

/** In each of these looks axe finds nothing, and every pair of colours has enough contrast. */
export async function looksFine(page: Page, looks: readonly Look[]): Promise<void> {
  for (const [width, colorScheme, forcedColors] of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, forcedColors });
    await page
      .locator(`html${colorScheme === 'dark' ? '[data-theme=dark]' : ':not([data-theme=dark])'}`)
      .waitFor();
    await settled(page);
    const rules = { 'color-contrast': { enabled: forcedColors === 'none' } }; // those are the reader's own
    const found = await violationsOf(page, rules);
    expect(found, `at ${width} px, ${colorScheme}, forced colours ${forcedColors}`).toEqual([]);
    if (forcedColors === 'none') expect(await lowContrast(page), colorScheme).toEqual([]);
  }
}

/** The pairs of colours in the charts whose contrast is too low. */
function lowContrast(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const styles = getComputedStyle(document.documentElement);
    const luminance = (name: string) => {
      const hex = styles.getPropertyValue(`--${name}`).replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
      const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
        const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return [
      ['band', 'panel'],
      ['leq', 'panel'],
      ['leq', 'band'],
      ['threshold', 'panel'],
      ['event', 'panel'],
      ['hole', 'grid'],
      ['heat', 'heat-none'],
      ['meter', 'heat-none'],
    ].flatMap(([a = '', b = '']) => {
      const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
      const ratio = (light + 0.05) / (dark + 0.05);
      return ratio >= 3 ? [] : [`${a} on ${b}: ${ratio}`];
    });
  });
}
