import { expect, it } from 'vitest';
import type { Context } from '../../src/api/context.ts';
import { operations } from '../../src/api/router.ts';
import { CSV_TYPE, JSON_TYPE } from '../../src/contract/media-types.ts';

const ID = '2026-01-01T00:00:00.123456Z~100~00f1e2d3c4b5a697';

it.each([
  [{}, false, false],
  [{ from: 'now-1m' }, false, true],
  [{ lastEventId: ID }, false, true],
  [{ lastEventId: ID }, true, false],
  [{ from: 'now-1m', lastEventId: ID }, true, false],
])('a stream from %j whose event is kept: %s is heavy: %s', (input, canResume, isHeavy) => {
  const context: Context = {
    db: { query: expect.unreachable } as unknown as Context['db'],
    rollups: expect as unknown as Context['rollups'],
    now: '2026-01-01T00:00:00.000000Z',
    signal: new AbortController().signal,
    pageType: JSON_TYPE,
    fileType: CSV_TYPE,
    version: 'test',
    site: { name: null, timeZone: 'UTC', limits: [], calibrationOffsetDb: null },
    recorder: () => null,
    live: { open: async () => expect.unreachable(), canResume: (id) => id === ID && canResume },
    isStopping: false,
  };
  expect(operations.get('audio.live')?.read(input).isHeavy(context)).toBe(isHeavy);
});
