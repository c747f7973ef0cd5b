import { expect, it } from 'vitest';
import { refuseTooMany } from '../../../src/operations/events/read-criteria.ts';
import { SEARCH_LIMITS, TooManyPoints } from '../../../src/operations/events/search-runs-back.ts';

it.each([
  ['threshold', -20],
  ['above_background', null],
])(
  'a search through too many points is refused, and the error names %s and the maximum',
  async (parameter, threshold) => {
    const search = Promise.reject(new TooManyPoints());
    await expect(
      search.catch(refuseTooMany({ threshold }, SEARCH_LIMITS, 'limit lower')),
    ).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      errors: [{ parameter, detail: expect.stringMatching(/limit lower.*400000/) }],
    });
  },
);
