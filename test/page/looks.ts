// Checks the look of the page at a width and in a theme, as a reader sees it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { address, colourOf, END, HOUR, openMenu, settled, tabOf } from './browse.ts';

/** Has an answer in every panel. */
export const LOOKS = address(END - 4 * 24 * HOUR, END, '&live=off');

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Shows the widest table, and opens a menu. */
export async function openAll(page: Page): Promise<void> {
  await tabOf(page, 'Lden');
  await openMenu(page);
}

/** Asserts that nothing is wider than the page at any of these widths. */
export async function scrollsAlone(page: Page, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    const scrolled = () => page.evaluate(() => document.documentElement.scrollWidth);
    await expect.poll(scrolled, { message: `at ${width} px` }).toBe(width);
  }
}

type Look = readonly [width: number, scheme: 'light' | 'dark', forcedColors: 'none' | 'active'];

/** The violations that axe finds. */
export async function violationsOf(page: Page, rules = {}): Promise<string[][]> {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  return page.evaluate(async (rules) => {
    // biome-ignore lint/suspicious/noExplicitAny: just put there
    const { violations } = await (globalThis as any).axe.run({ rules });
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => [
      id,
      ...nodes.map(({ html }) => html),
    ]);
  }, rules);
}

/** Asserts that axe finds nothing in each of these themes, and that all colour pairs have enough contrast. */
export async function looksFine(page: Page, looks: readonly Look[]): Promise<void> {
  for (const [width, colorScheme, forcedColors] of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, forcedColors });
    await settled(page);
    const rules = { 'color-contrast': { enabled: forcedColors === 'none' } }; // forced colours are the reader's own
    const found = await violationsOf(page, rules);
    expect(found, `at ${width} px, ${colorScheme}, forced colours ${forcedColors}`).toEqual([]);
    if (forcedColors === 'none') expect(await lowContrast(page), colorScheme).toEqual([]);
  }
}

/** The colour pairs of the charts with too little contrast. */
async function lowContrast(page: Page): Promise<string[]> {
  const luminance = async (name: string) => {
    const [r = 0, g = 0, b = 0] = (await colourOf(page, `--${name}`)).map((part) =>
      part <= 0.04045 * 255 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const pairs = [
    ['leq', 'panel'],
    ['leq', 'band'],
    ['limit', 'panel'],
    ['over', 'panel'],
    ['loudest', 'panel'],
    ['under', 'panel'],
    ['too-loud', 'panel'],
    ...['low', 'middle', 'high', 'unknown'].map((pitch) => [pitch, 'on-pitch']),
    ...['low', 'middle', 'high', 'unknown'].map((pitch) => [pitch, 'panel']),
    ['text-soft', 'grid'],
    ['heat', 'heat-none'],
    ['accent', 'heat-none'],
  ];
  const ratios = await Promise.all(
    pairs.map(async ([a = '', b = '']) => {
      const [x, y] = await Promise.all([luminance(a), luminance(b)]);
      return [`${a} on ${b}`, (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)] as const;
    }),
  );
  return ratios.flatMap(([pair, ratio]) => (ratio >= 3 ? [] : [`${pair}: ${ratio}`]));
}
