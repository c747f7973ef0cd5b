import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { coalesced, createInFlight } from '../../src/load/shared-answers.ts';
import type { Context } from '../../src/procedures/trpc.ts';

it('ends a question whose statements together take too long', async () => {
  let asked = 0;
  const query: Database['query'] = async (_statement, _values, signal) => {
    asked++;
    await sleep(10);
    signal?.throwIfAborted();
    return [];
  };
  const ctx = {
    db: { query },
    inFlight: createInFlight(),
    questionTimeoutMs: 100,
    enter: () => undefined,
  } as unknown as Context;
  const endless = coalesced(async ({ ctx }) => {
    for (;;) await ctx.db.query({ text: '', parameters: [] });
  });
  await expect(endless({ ctx, path: 'a.b', input: {}, signal: undefined })).rejects.toMatchObject({
    code: 'GATEWAY_TIMEOUT',
    message: 'The query took longer than is allowed',
  });
  expect(asked).toBeGreaterThan(1);
  expect(ctx.inFlight.questions).toEqual({});
  expect(ctx.inFlight.abandoned).toBe(0);
  const quick = coalesced(async () => 'answer');
  expect(await quick({ ctx, path: 'a.b', input: {}, signal: undefined })).toBe('answer');
});
