// The range that a page shows first.
import { describe, expect, it } from 'vitest';
import { DEFAULT_VIEW, readView, showFresh } from '../../src/page/state/view-in-address.ts';

describe('the first view', () => {
  it.each([
    [1, '15m'],
    [14, '15m'],
    [16, '1h'],
    [61, '6h'],
    [359, '6h'],
    [361, '24h'],
    [1439, '24h'],
    [100_000, '24h'],
  ])('of a station with points since %d min ago shows %s', (minutes, range) => {
    const oldest = new Date(Date.now() - minutes * 60_000).toISOString();
    expect(showFresh(DEFAULT_VIEW, oldest)).toEqual({ ...DEFAULT_VIEW, from: `now-${range}` });
  });

  it('follows the address if it has a range, or before there are points', () => {
    const oldest = new Date(Date.now() - 60_000).toISOString();
    for (const search of ['?from=now-6h&to=now', '?show=today', '?from=now-24h&to=now-1h']) {
      const { view } = readView(search);
      expect(showFresh(view, oldest)).toBe(view);
    }
    expect(showFresh(DEFAULT_VIEW, null)).toBe(DEFAULT_VIEW);
  });
});
