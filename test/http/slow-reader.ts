// An export whose reader is slow, for the tests of compression.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { pointRow } from '../rows.ts';
import { open } from './raw.ts';
import { empty, serviceOn } from './service-on.ts';

/** A database whose export is these pieces. */
export async function exporting(streamRows: NonNullable<Database['streamRows']>): Promise<string> {
  const url = await serviceOn({ ...empty, streamRows });
  return `${url}/api/v1/export/csv?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`;
}

const scatteredRow = () =>
  pointRow({
    time: new Date(Math.random() * 1e14).toISOString().replace('Z', '123Z'),
    rms_db: -50 * Math.random(),
    frequency_hz: Math.floor(Math.random() * 8000),
    is_silence: false,
  });

/** That an export waits for a reader who pauses, and ends when that goes away. */
export async function readSlowly(coding: string): Promise<void> {
  let made = 0;
  let ended = false;
  const url = await exporting(async function* () {
    try {
      // what does not compress fills the buffers soon
      for (; ; made++) yield Buffer.concat(Array.from({ length: 1500 }, scatteredRow));
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
