// Navigation of the page: by mouse, touch, keyboard and URL.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import {
  address,
  boxOf,
  browse,
  chartOf,
  drag,
  END,
  HOUR,
  hoursOf,
  iso,
  lengthOf,
  now,
  panel,
  parameter,
  rangeOf,
  settled,
  timeOf,
} from './browse.ts';

describe('the navigation of the page', needs('Chromium', chromiumPath), () => {
  const day = browse();

  const datesOf = (page: Page) => page.locator('.range .dates');

  /** Chooses a range from the menu. */
  async function chooseRange(page: Page, name: string): Promise<void> {
    await datesOf(page).click();
    await page.locator('.choices').getByRole('button', { name }).click();
  }

  it('keeps the view in the address: reload restores it, back undoes a zoom', async () => {
    const page = await day.open('/', { isSettled: false });
    await chooseRange(page, '6 hours');
    expect(new URL(page.url()).search).toBe('?from=now-6h&to=now');
    await page.reload();
    await settled(page);
    expect(await datesOf(page).innerText()).toBe('6 hours');
    const box = await boxOf(page, '.canvas .u-over');
    await drag(page, [box.x + box.width * 0.25, box.y + 50], [box.x + box.width * 0.5, box.y + 60]);
    await expect.poll(() => lengthOf(page)).toBeCloseTo(1.5, 1);
    expect((now() - timeOf(page, 'from')) / HOUR).toBeCloseTo(4.5, 1);
    await page.goBack();
    expect(new URL(page.url()).search).toBe('?from=now-6h&to=now');
    await settled(page);
    // a drag may end above the chart, or cross the other chart
    let length = 6;
    for (const end of [box.y - 60, box.y + box.height + 300]) {
      await drag(page, [box.x + box.width * 0.25, box.y + 50], [box.x + box.width * 0.5, end]);
      length /= 4;
      await expect.poll(() => lengthOf(page)).toBeCloseTo(length, 1);
      await settled(page);
    }
    await page.goBack();
    await page.goBack();
    await expect.poll(() => new URL(page.url()).search).toBe('?from=now-6h&to=now');
  });

  it('steps by its own length, or by calendar days', async () => {
    const hour = await day.open(address(END - 4 * HOUR, END - 3 * HOUR));
    await hour.getByRole('button', { name: 'Earlier' }).click();
    await expect.poll(() => hoursOf(hour)).toEqual([-5, -4]);
    await hour.getByRole('button', { name: 'Later' }).click();
    await expect.poll(() => hoursOf(hour)).toEqual([-4, -3]);
    const night = await day.open(address(END - 40 * HOUR, END - 32 * HOUR));
    await night.getByRole('button', { name: 'Earlier' }).click();
    await expect.poll(() => hoursOf(night)).toEqual([-64, -56]);
    await chooseRange(night, 'This week');
    await expect.poll(() => parameter(night, 'show')).toBe('this-week');
  });

  it('has buttons for the night and three lengths, and says which one is shown', async () => {
    const page = await day.open(address(END - 2 * HOUR));
    const range = page.getByRole('toolbar', { name: 'Range' });
    const pressed = () => range.locator('[aria-pressed=true]:not(.live)').allInnerTexts();
    expect(await pressed()).toEqual([]);
    for (const [name, query] of [
      ['Night', '?show=night&live=off'],
      ['24 hours', '?live=off'],
      ['7 days', '?from=now-7d&to=now&live=off'],
      ['30 days', '?from=now-30d&to=now&live=off'],
    ] as const) {
      await range.getByRole('button', { name, exact: true }).click();
      await expect.poll(() => new URL(page.url()).search).toBe(query);
      expect(await pressed()).toEqual([name]);
      await expect.poll(() => datesOf(page).innerText()).toBe('Dates');
    }
  });

  it('closes a menu on Escape and on a press elsewhere', async () => {
    const page = await day.open(address(END - HOUR));
    const menu = page.locator('.menu:popover-open');
    const button = page.getByRole('button', { name: 'Menu of the page' });
    await button.click();
    await menu.getByRole('link', { name: 'Manual' }).focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => menu.count()).toBe(0);
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await button.click();
    await menu.click({ position: { x: 3, y: 3 } });
    await expect.poll(() => menu.count()).toBe(1);
    await page.locator('.legend .text').click();
    await expect.poll(() => menu.count()).toBe(0);
  });

  /** Zooms a view of the hours from -8 to -4. */
  async function aroundPointer(page: Page) {
    const box = await boxOf(page, '.canvas .u-over');
    await page.mouse.dblclick(box.x + box.width / 2, box.y + 50);
    await expect.poll(() => hoursOf(page)).toEqual([-10, -2]);
    await settled(page);
    const steps = () => page.evaluate(() => history.length);
    const before = await steps();
    await drag(page, [box.x + box.width / 8, box.y + 50], [box.x + (box.width * 5) / 8, box.y + 50]);
    await expect.poll(() => hoursOf(page)).toEqual([-9, -5]);
    expect(await steps()).toBe(before + 1); // one step back undoes it
    await settled(page);
    const shown = page.url();
    const scrolled = await page.evaluate(() => scrollY);
    await page.mouse.wheel(0, 50); // it scrolls the page
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(scrolled);
    expect(page.url()).toBe(shown);
    await page.mouse.wheel(0, -50);
  }

  /** Pans and pinches a view of the hours from -9 to -5, at any width. */
  async function byFingers(page: Page) {
    const touch = (...events: [type: string, finger: number, position: number][]) =>
      page.locator('.canvas .u-over').evaluate((area, events) => {
        const { left, top, width } = area.getBoundingClientRect();
        for (const [type, pointerId, position] of events) {
          const at = { clientX: left + position * width, clientY: top + 40 };
          const init = { pointerType: 'touch', pointerId, bubbles: true, ...at };
          area.dispatchEvent(new PointerEvent(`pointer${type}`, init));
        }
      }, events);
    const before = page.url();
    await touch(['down', 1, 0.25], ['move', 1, 0.253], ['up', 1, 0.253]); // a trembling finger
    await touch(['down', 1, 0.25], ['move', 1, 0.6], ['cancel', 1, 0.6]); // the page scrolls
    expect(page.url()).toBe(before);
    await touch(['down', 1, 0.25], ['move', 1, 0.75], ['up', 1, 0.75]);
    await expect.poll(() => hoursOf(page)).toEqual([-11, -7]);
    await settled(page);
    await touch(
      ['down', 1, 0.25],
      ['down', 2, 0.75],
      ['move', 1, 0],
      ['move', 2, 1],
      ['up', 1, 0],
      ['up', 2, 1],
    );
    await expect.poll(() => hoursOf(page)).toEqual([-10, -8]);
  }

  it('zooms and pans by mouse and touch', async () => {
    const page = await day.open(address(END - 8 * HOUR, END - 4 * HOUR));
    await page.setViewportSize({ width: 1280, height: 600 }); // the page is higher, so it can scroll
    await settled(page);
    const box = await boxOf(page, '.canvas .u-over');
    const time = END - 5 * HOUR + 16.6 * 60_000;
    const x = box.x + box.width * (1 - (END - 4 * HOUR - time) / (4 * HOUR));
    await page.mouse.move(x, box.y + box.height / 2);
    await expect.poll(() => panel(page, 'Level').locator('.reading').innerText()).toMatch(/Leq/);
    await drag(page, [x, box.y + box.height / 2], [x + box.width / 8, box.y + 20]);
    await expect.poll(() => lengthOf(page)).toBeCloseTo(0.5, 1);
    await expect.poll(() => timeOf(page, 'from')).toBeCloseTo(time, -5);
    await page.goBack();
    await settled(page);
    await page.evaluate(() => scrollTo(0, 0));
    await aroundPointer(page);
    await byFingers(page);
    await page.goBack();
    await page.goBack();
    await page.setViewportSize({ width: 360, height: 900 });
    await settled(page);
    await byFingers(page);
  });

  it('keeps unchanged times of its form, even in the repeated hour, cuts the end at now, and shows years', async () => {
    const [from, to] = ['2025-10-26T01:30:15.250Z', '2025-10-26T03:00:00.000Z'];
    const zone = '&live=off&time_zone=Europe/Vienna';
    const page = await day.open(address(Date.parse(from), Date.parse(to), zone), { width: 360 });
    await datesOf(page).click();
    await expect
      .poll(() => page.getByLabel('From', { exact: true }).inputValue())
      .toBe('2025-10-26T02:30:15');
    await page.getByLabel('To', { exact: true }).fill('2025-10-26T05:00:00');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect.poll(() => rangeOf(page)).toEqual([from, '2025-10-26T04:00:00.000Z']);
    await datesOf(page).click();
    await page.getByLabel('From', { exact: true }).fill('2023-11-01T01:00:00');
    await page.getByLabel('To', { exact: true }).fill(iso(END + 1000 * HOUR).slice(0, 19));
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect.poll(() => parameter(page, 'from')).toBe('2023-11-01T00:00:00.000Z');
    await expect.poll(() => timeOf(page, 'to')).toBeLessThanOrEqual(now());
    await settled(page);
    expect(await page.getByRole('alert').filter({ hasText: 'must' }).count()).toBe(0);
  });

  it('keeps following new points as long as its interval ends now', async () => {
    const page = await day.open('/?from=now-1h&to=now');
    const later = page.getByRole('button', { name: 'Later' });
    expect(await later.isDisabled()).toBe(true);
    await chartOf(page).press('+');
    await expect.poll(() => rangeOf(page)).toEqual(['now-30m', 'now']);
    await chartOf(page).press('-');
    await expect.poll(() => rangeOf(page)).toEqual(['now-1h', 'now']);
    await chartOf(page).press('-');
    await expect.poll(() => rangeOf(page)).toEqual(['now-2h', 'now']);
    await settled(page);
    const box = await boxOf(page, '.canvas .u-over');
    const at = (share: number) => [box.x + box.width * share, box.y + 150] as const; // below the notice
    await drag(page, at(0.2), at(0.6), async () => {
      await page.keyboard.press('Escape');
      await page.mouse.move(...at(0.65));
    });
    await expect.poll(() => rangeOf(page)).toEqual(['now-2h', 'now']);
    expect(await page.locator('.canvas .u-select').evaluate(({ clientWidth }) => clientWidth)).toBe(0);
    await drag(page, at(0.5), at(1.05));
    await expect.poll(() => rangeOf(page)).toEqual([expect.stringMatching(/^now-(1h|\d\dm|\d{4}s)$/), 'now']);
    await settled(page);
    await page.getByRole('button', { name: 'Earlier' }).click();
    await expect.poll(() => parameter(page, 'to')).toMatch(/Z$/);
    expect(await page.getByRole('button', { name: 'Live' }).getAttribute('title')).toBe(
      'The level is live, but this chart does not move',
    );
    expect(await later.isDisabled()).toBe(false);
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await expect.poll(() => parameter(page, 'to')).toBe('now');
  });

  it('stays at the pointed time while times move on, until the pointer leaves', async () => {
    const begin = now();
    const page = await day.open('/?from=now-10m&to=now', {
      before: (page) => page.clock.setFixedTime(begin),
    });
    const chart = chartOf(page);
    const reading = panel(page, 'Level').locator('.reading');
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    const shown = page.getByText(/^From .* highest level/);
    const before = await shown.innerText();
    const said = page.locator('.chart [aria-live=polite]');
    await expect.poll(() => said.innerText()).toMatch(/: no points$/);
    const read = await said.innerText();
    await expect.poll(() => reading.innerText()).toContain(read);
    await page.clock.setFixedTime(begin + 10_000);
    await expect.poll(() => shown.innerText()).not.toBe(before);
    await settled(page);
    expect(await reading.innerText()).toContain(read);
    expect(await said.innerText()).toBe(read);
    await page.keyboard.press('Escape');
    await expect.poll(() => reading.innerText()).toBe('');
    await page.keyboard.press('End');
    await expect.poll(() => reading.innerText()).not.toBe('');
    await page.keyboard.press('Tab');
    await expect.poll(() => reading.innerText()).toBe('');
  });

  it('works by keyboard alone', async () => {
    const page = await day.open(address(END - 24 * HOUR, END));
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
      });
    const seen: string[] = [];
    const tabTo = async (name: RegExp) => {
      for (let n = 0; n < 60; n++) {
        await page.keyboard.press('Tab');
        seen.push(await focused());
        if (name.test(seen.at(-1) ?? '')) return;
      }
      expect.fail(`Tab does not lead to ${name}: ${seen.join(', ')}`);
    };
    await tabTo(/^Level chart/);
    await page.keyboard.press('Home');
    const reading = page.locator('.chart [aria-live=polite]');
    await expect
      .poll(() => reading.innerText())
      .toMatch(/Leq −\d\d\.\d, L10 −\d\d\.\d, L90 −\d\d\.\d, minimum −\d\d\.\d, maximum −\d\d\.\d dBFS$/);
    const first = await reading.innerText();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => reading.innerText()).not.toBe(first);
    await page.keyboard.press('End');
    await page.keyboard.press('+');
    await expect.poll(() => lengthOf(page)).toBe(12);
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => timeOf(page, 'to')).toBeLessThan(END - 2.9 * HOUR);
    await page.keyboard.press('-');
    await expect.poll(() => lengthOf(page)).toBe(24);
    await tabTo(/^Figures$/);
    await page.keyboard.press('ArrowRight');
    await settled(page);
    await tabTo(/^[^–]+ \d?\d:\d\d:\d\d [AP]M$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => lengthOf(page)).toBeLessThan(3);
    expect(seen.slice(0, 10).join()).toMatch(/Level chart,CSV/); // the chart within ten stops
  });
});
