// An export with a slow reader, for tests of compression.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { open } from './raw.ts';
import { empty, serviceOn } from './service-on.ts';

/** @returns the URL of a service whose exports consist of these pieces */
export async function exporting(copyOut: NonNullable<Database['copyOut']>): Promise<string> {
  const url = await serviceOn({ ...empty, copyOut });
  return `${url}/api/v1/export/csv?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`;
}

/** Random bytes do not compress, so buffers soon fill up. */
const scattered = () => randomBytes(100_000);

/** Checks that an export waits for a reader that pauses, and ends when the reader leaves. */
export async function readSlowly(coding: string): Promise<void> {
  let made = 0;
  let ended = false;
  const url = await exporting(async function* () {
    try {
      for (; ; made++) yield scattered();
    } finally {
      ended = true;
    }
  });
  const answer = await open(url, { 'accept-encoding': coding });
  answer.on('error', () => {});
  answer.pause();
  for (let before = -1; made !== before; await sleep(100)) before = made;
  expect(ended).toBe(false);
  answer.destroy();
  await expect.poll(() => ended).toBe(true);
}
