import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addSeconds, instantOf, isRelative, parseInstant } from '../../src/contract/instant.ts';
import { Instant, InstantInput } from '../../src/contract/parameters.ts';

const NOW = '2026-03-01T12:00:00.250001Z';

describe('parseInstant', () => {
  it.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000000Z'],
    ['2026-01-01t00:00:00z', '2026-01-01T00:00:00.000000Z'],
    ['2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.100000Z'],
    ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123456Z'],
    ['2026-01-01T00:00:00.000001+02:00', '2025-12-31T22:00:00.000001Z'],
    ['2026-01-01T00:00:00-05:30', '2026-01-01T05:30:00.000000Z'],
    ['2026-01-01T00:00:00 02:00', '2025-12-31T22:00:00.000000Z'],
    ['2026-01-01T00:00:00-00:00', '2026-01-01T00:00:00.000000Z'],
    ['2024-02-29T23:59:59.999999Z', '2024-02-29T23:59:59.999999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    ['now', NOW],
    ['now-90s', '2026-03-01T11:58:30.250001Z'],
    ['now-0s', NOW],
    ['now-15m', '2026-03-01T11:45:00.250001Z'],
    ['now-1h', '2026-03-01T11:00:00.250001Z'],
    ['now-1d', '2026-02-28T12:00:00.250001Z'],
  ])('reads %s as %s', (text, instant) => {
    expect(parseInstant(text, NOW)).toBe(instant);
    expect(InstantInput.safeParse(text).success).toBe(true);
  });

  it.each([
    ...`2026 2026-01-01 2026-01-01T00:00:00 2026-01-01T00:00Z 2026-01-01T00:00:00.Z
      2026-01-01T00:00:00.1234567Z 2026-02-29T00:00:00Z 2026-04-31T00:00:00Z 2026-13-01T00:00:00Z
      2026-00-01T00:00:00Z 2026-01-00T00:00:00Z 2026-01-01T24:00:00Z 2026-01-01T00:60:00Z
      2026-01-01T00:00:60Z 2026-01-01T00:00:00+24:00 2026-01-01T00:00:00+02:60 2026-01-01T00:00:00+0200
      2026-01-01T00:00:00+02 0000-12-31T00:00:00Z 0001-01-01T00:00:00+01:00 9999-12-31T23:59:59-01:00
      12026-01-01T00:00:00Z -2026-01-01T00:00:00Z 1767225600 Now now+1h now-h now-1 now-1w now-1.5h
      now--1h now-9999999999999s infinity yesterday ２０２６-01-01T00:00:00Z`.split(/\s+/),
    ...['', ' ', '2026-01-01 00:00:00Z', 'now - 1h', '2026-01-01T00:00:00Z '],
  ])('refuses %j', (text) => {
    expect(parseInstant(text, NOW)).toBeUndefined();
    expect(InstantInput.safeParse(text).success).toBe(false);
  });

  it('returns instants of any offset in one form that sorts as text', () => {
    const micros = fc.tuple(
      fc.integer({ min: -62_000_000_000, max: 253_000_000_000 }),
      fc.integer({ min: 0, max: 999_999 }),
      fc.integer({ min: -1439, max: 1439 }),
    );
    const write = ([seconds, micro, offset]: [number, number, number]) => {
      const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19);
      const sign = offset < 0 ? '-' : '+';
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
      const zone = `${sign}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
      return `${local}.${String(micro).padStart(6, '0')}${zone}`;
    };
    fc.assert(
      fc.property(micros, micros, (a, b) => {
        const [left, right] = [parseInstant(write(a), NOW), parseInstant(write(b), NOW)];
        if (left === undefined || right === undefined) throw new Error('refused');
        expect(Instant.safeParse(left).success).toBe(true);
        expect(Math.sign(a[0] - b[0] || a[1] - b[1])).toBe(left < right ? -1 : left > right ? 1 : 0);
      }),
    );
  });
});

it('parses times relative to the clock', () => {
  expect(['now', 'now-1h', NOW].map(isRelative)).toEqual([true, true, false]);
});

it('adds seconds and keeps the microseconds', () => {
  expect(addSeconds(NOW, -30 * 86400)).toBe('2026-01-30T12:00:00.250001Z');
  expect(addSeconds('0001-01-01T00:00:10.000001Z', -11)).toBeUndefined();
});

it('reads the clock to the millisecond', () => {
  expect(instantOf(Date.UTC(2026, 2, 1, 12, 0, 0, 7))).toBe('2026-03-01T12:00:00.007000Z');
});
