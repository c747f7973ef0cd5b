// The look of the page at more widths and in more themes than `states.test.ts` has time for.
import { describe, it } from 'vitest';
import { chromiumPath } from '../browser.ts';
import { needs } from '../needs.ts';
import { browse } from './browse.ts';
import { LOOKS, looksFine, openAll, scrollsAlone } from './looks.ts';

describe('the page', needs('Chromium', chromiumPath), () => {
  const day = browse();

  it('scrolls only vertically at any width, and passes axe in any theme', async () => {
    const page = await day.open(LOOKS, { width: 360 });
    await openAll(page);
    await scrollsAlone(page, [320, 768, 1440, 2560, 320]);
    await looksFine(page, [
      [360, 'light', 'none'],
      [360, 'dark', 'none'],
      [1440, 'dark', 'none'],
      [1440, 'light', 'none'],
      [1440, 'light', 'active'],
    ]);
  });
});
