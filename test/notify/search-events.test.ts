import { TRPCClientError } from '@trpc/client';
import { expect, it } from 'vitest';
import type { AudioMetricsClient } from '../../src/client/index.ts';
import { SHORTER_INTERVAL } from '../../src/contract/parameters.ts';
import { createEventSearch, type FoundEvent } from '../../src/notify/search-events.ts';

const SECOND = 1000;
const START = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number) => new Date(START + ms).toISOString().replace('Z', '000Z');

/** A service that refuses intervals with more than `most` loud points. Each second of `loud` is a point. */
function serviceOf(loud: readonly (readonly [from: number, to: number])[], most: number) {
  const query = async ({ from = at(0), to = at(3600 * SECOND) }: { from?: string; to?: string }) => {
    const [since, until] = [Date.parse(from) - START, Date.parse(to) - START];
    const within = loud
      .map(
        ([begin, end]) =>
          [Math.max(begin * SECOND, since), Math.min(end * SECOND, until), begin, end] as const,
      )
      .filter(([start, end]) => start < end);
    if (within.reduce((sum, [start, end]) => sum + (end - start) / SECOND, 0) > most) {
      const data = {
        code: 'BAD_REQUEST',
        httpStatus: 400,
        errors: [{ parameter: 'threshold', detail: `must be higher, or ${SHORTER_INTERVAL}: too many` }],
      };
      throw TRPCClientError.from({ error: { message: 'Too many', code: -32_600, data } } as never);
    }
    const events = within.map(([start, end, begin, over]) => ({
      start: at(start),
      end: at(end),
      truncated_start: start > begin * SECOND,
      truncated_end: end < over * SECOND,
      point_count: (end - start) / SECOND,
    }));
    return { events: events.toReversed(), hold_seconds: 1, next_cursor: null };
  };
  return { events: { list: { query } } } as unknown as AudioMetricsClient;
}

async function endedIn(loud: readonly (readonly [number, number])[], most: number) {
  const client = serviceOf(loud, most);
  const events: FoundEvent[] = [];
  for await (const { event } of createEventSearch(
    client,
    { threshold: -10, aboveBackground: undefined, hold: 'auto', minDuration: 0 },
    'stored',
    at(0),
    new AbortController().signal,
  ).upTo(at(600 * SECOND)))
    events.push(event);
  return events.map(({ start, end, truncated_start, truncated_end, point_count }) => ({
    from: (Date.parse(start) - START) / SECOND,
    to: (Date.parse(end) - START) / SECOND,
    cut: [truncated_start, truncated_end],
    point_count,
  }));
}

it('splits an event with more points than a request may search into parts, with each point once', async () => {
  const events = await endedIn(
    [
      [10, 310],
      [400, 403],
    ],
    90,
  );
  const [parts, last] = [events.slice(0, -1), events.at(-1)];
  expect(parts.length).toBeGreaterThan(3);
  expect(parts.reduce((sum, { point_count }) => sum + point_count, 0)).toBe(300);
  expect(parts.map(({ from }) => from)).toEqual([10, ...parts.slice(0, -1).map(({ to }) => to)]);
  expect(parts.map(({ cut }) => cut)).toEqual(parts.map((_, n) => [n > 0, n < parts.length - 1]));
  expect(last).toEqual({ from: 400, to: 403, cut: [false, false], point_count: 3 });
});

it('keeps shorter events whole, however many there are', async () => {
  const short = Array.from({ length: 40 }, (_, n) => [n * 10, n * 10 + 5] as const);
  const events = await endedIn(short, 30);
  expect(events).toEqual(short.map(([from, to]) => ({ from, to, cut: [false, false], point_count: 5 })));
});
