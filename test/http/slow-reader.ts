// An export whose reader is slow, for the tests of compression.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { POINT, pointRow, repeated } from '../rows.ts';
import { open } from './raw.ts';
import { empty, serviceOn } from './service-on.ts';

/** A database whose export is these pieces. */
export async function exporting(streamRows: NonNullable<Database['streamRows']>): Promise<string> {
  const url = await serviceOn({ ...empty, streamRows });
  return `${url}/api/v1/export/csv?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`;
}

const row = pointRow(POINT);

/** Points of random times and levels, which do not compress: buffers are full soon. */
function scattered(): Buffer {
  const rows = repeated(row, 1500);
  for (let start = 0; start < rows.length; start += row.length) {
    rows.writeUIntBE(Math.floor(Math.random() * 2 ** 48), start + 13, 6);
    rows.writeFloatBE(-50 * Math.random(), start + 23);
  }
  return rows;
}

/** That an export waits for a reader who pauses, and ends when that goes away. */
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
