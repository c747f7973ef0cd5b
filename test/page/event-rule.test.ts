// The defaults of a page: the rule of noise events, and the range of a fresh station.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InfoOutput } from '../../src/operations/service/contract.ts';
import { eventRule } from '../../src/page/state/event-rule.ts';
import { BROWSER_ZONE, setSite } from '../../src/page/state/site.ts';
import { DEFAULT_VIEW, readView, showFresh } from '../../src/page/state/view-in-address.ts';
import { NOT_RECORDED } from '../scales.ts';

/** A place in Vienna: 55 dB by day, 45 dB from 22:00 to 06:00, and a reference of 95 dB. */
const info = InfoOutput.parse(InfoOutput.meta()?.examples?.[0]);
const between = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });
const day = between('2026-01-20T00:00:00Z', '2026-01-21T00:00:00Z');

describe('a noise event', () => {
  beforeAll(() => setSite(info));
  afterAll(() => setSite({ time_zone: BROWSER_ZONE, limits: [], ...NOT_RECORDED }));
  const rule = (search: string, interval = day, of: Partial<InfoOutput> = {}) =>
    eventRule(readView(search).view, { ...info, ...of }, interval);

  it('is 10 dB over the background, also if there are limits', () => {
    expect(rule('')).toEqual({ above_background: 10 });
  });

  it('follows the threshold in the address, absolute or stored, if a level can reach it', () => {
    expect(rule('?threshold=62.5')).toEqual({ threshold: 62.5 });
    expect(rule('?threshold=-22.5')).toEqual({ threshold: 72.5 });
    expect(rule('?threshold=44')).toEqual({ above_background: 10 });
    expect(rule('?threshold=96')).toEqual({ above_background: 10 });
    const relative = { periods: [], calibration_offset_db: null };
    expect(rule('?threshold=-22.5', day, relative)).toEqual({ threshold: -22.5 });
    expect(rule('?threshold=62.5', day, relative)).toEqual({ above_background: 10 });
    expect(rule('?above_background=12')).toEqual({ above_background: 12 });
  });
});

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
