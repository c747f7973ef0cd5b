import { callTRPCProcedure } from '@trpc/server';
import { expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { createInFlight } from '../../src/load/shared-answers.ts';
import { appRouter, call } from '../../src/procedures/router.ts';
import type { Context } from '../../src/procedures/trpc.ts';
import { NO_ROLLUPS } from '../../src/timescale/rollups-in-use.ts';
import { ROW } from '../rows.ts';

const ctx = (): Context => ({
  db: {
    query: async () => [{ point_count: 1 }],
    readRows: async () => ROW,
    ready: () => Promise.reject(new Error('The database is away')),
  } as unknown as Database,
  rollups: NO_ROLLUPS,
  now: '2026-01-02T00:00:00.000000Z',
  version: 'test',
  calibrationOffsetDb: null,
  inFlight: createInFlight(),
  live: { open: async () => expect.unreachable() },
  questionTimeoutMs: undefined,
  isStopping: false,
  hasPlace: false,
  enter: () => undefined,
});

const tried = (answer: Promise<unknown>) =>
  answer.then(
    (data) => ({ data: JSON.parse(JSON.stringify(data)) }),
    ({ code, message, cause }) => ({ code, message, cause: cause?.message }),
  );

it.each<[string, unknown]>([
  ['health.live', undefined],
  ['health.live', { probe: 'any' }],
  ['audio.latest', undefined],
  ['audio.latest', { limit: 3 }],
  ['audio.latest', { limit: '3' }],
  ['audio.latest', { limit: 0, from: 'now' }],
  ['audio.latest', []],
  ['audio.range', { from: '2026-01-01T00:00:00Z', to: '2025-01-01T00:00:00Z' }],
  ['stats.summary', { period: '1y' }],
  ['audio.none', undefined],
])('call answers %s of %j as tRPC does', async (path, input) => {
  const theirs = callTRPCProcedure({
    router: appRouter,
    path,
    getRawInput: async () => input,
    ctx: ctx(),
    type: 'query',
    signal: undefined,
    batchIndex: 0,
  });
  expect(await tried(call(path, input, ctx()))).toEqual(await tried(theirs));
});

it('call throws what a procedure throws', async () => {
  await expect(call('health.ready', undefined, ctx())).rejects.toThrow('The database is away');
});
