import { expect, it } from 'vitest';
import type { Context } from '../../src/api/context.ts';
import { operations } from '../../src/api/router.ts';

const ID = '2026-01-01T00:00:00.123456Z~100~00f1e2d3c4b5a697';

it.each([
  [{}, false, 0],
  [{ from: 'now-1m' }, false, Number.POSITIVE_INFINITY],
  [{ lastEventId: ID }, false, Number.POSITIVE_INFINITY],
  [{ lastEventId: ID }, true, 0],
  [{ from: 'now-1m', lastEventId: ID }, true, 0],
])('a stream from %j whose event is kept: %s reads at most %i points', (input, canResume, points) => {
  const context: Context = {
    db: { query: expect.unreachable, readRows: expect.unreachable } as unknown as Context['db'],
    rollups: expect as unknown as Context['rollups'],
    now: '2026-01-01T00:00:00.000000Z',
    signal: new AbortController().signal,
    version: 'test',
    calibrationOffsetDb: null,
    live: { open: async () => expect.unreachable(), canResume: (id) => id === ID && canResume },
    isStopping: false,
  };
  expect(operations.get('audio.live')?.read(input).points(context)).toBe(points);
});
