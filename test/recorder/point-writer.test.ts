import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import type { Point } from '../../src/contract/point.ts';
import { AppError } from '../../src/errors.ts';
import { createPointWriter } from '../../src/recorder/point-writer.ts';
import { memoryDatabase } from './run.ts';

const AWAY = new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached');

function points(from: number, count: number): Point[] {
  return Array.from({ length: count }, (_, i) => ({
    time: instantOf(1000 * (from + i)),
    rms_db: -20,
    frequency_hz: null,
    is_silence: false,
  }));
}

/** A writer whose database refuses as long as `faults.error` is set. */
function createWriter(options: { capacity?: number; patienceMs?: number } = {}) {
  const faults: { error: unknown } = { error: undefined };
  const db = memoryDatabase(() => {
    if (faults.error) throw faults.error;
  });
  const lines: string[] = [];
  const writer = createPointWriter({
    store: (csv) => db.copyIn(csv),
    report: (line) => lines.push(line),
    everyMs: 20,
    ...options,
  });
  return { writer, db, lines, faults };
}

describe('The writer of points', () => {
  it('stores at once what comes first, and what follows in batches, in order', async () => {
    const { writer, db, lines } = createWriter();
    await writer.add(points(0, 1));
    await expect.poll(() => db.rows.length).toBe(1);
    for (let i = 1; i < 50; i++) await writer.add(points(i, 1));
    expect(db.rows).toHaveLength(1);
    await expect.poll(() => db.rows.length).toBe(50);
    expect(db.rows).toEqual(db.rows.toSorted());
    expect(await writer.close()).toEqual({ count: 50, first: instantOf(0), last: instantOf(49_000) });
    expect(lines).toEqual([]);
  });

  it('holds back a source that is faster than the database', async () => {
    const { writer, db, lines } = createWriter({ capacity: 30_000 });
    for (let i = 0; i < 200; i++) await writer.add(points(1000 * i, 1000));
    await writer.close();
    expect(db.rows).toHaveLength(200_000);
    expect(lines).toEqual([]);
  });

  it('keeps points while the database is away and stores each once when it is back', async () => {
    const { writer, db, lines, faults } = createWriter();
    faults.error = AWAY;
    for (let i = 0; i < 30; i++) {
      await writer.add(points(i, 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(db.rows).toEqual([]);
    faults.error = undefined;
    await writer.add(points(30, 1));
    await expect.poll(() => db.rows.length).toBe(31);
    expect(new Set(db.rows).size).toBe(31);
    expect(db.rows).toEqual(db.rows.toSorted());
    await writer.close();
    expect(lines).toEqual([
      'Warning: The database cannot be reached. Trying again; points waiting: 1.',
      'The database is back; the points that waited are being stored.',
    ]);
  });

  it('gives up the oldest points when too many wait, and says which', async () => {
    const { writer, db, lines, faults } = createWriter({ capacity: 100 });
    faults.error = AWAY;
    await writer.add(points(0, 150));
    await expect.poll(() => lines.length).toBeGreaterThan(0);
    await writer.add(points(150, 50));
    await new Promise((resolve) => setTimeout(resolve, 100));
    faults.error = undefined;
    await writer.close();
    expect(db.rows).toHaveLength(100);
    expect(db.rows[0]).toContain(instantOf(100_000));
    const dropped = lines.map((line) => Number(/dropped (\d+) points/.exec(line)?.[1] ?? 0));
    expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(100);
  });

  it('says at the end how many points could not be stored', async () => {
    const { writer, lines, faults } = createWriter({ patienceMs: 50 });
    faults.error = AWAY;
    await writer.add(points(0, 7));
    await expect(writer.close()).rejects.toBe(AWAY);
    expect(lines.at(-1)).toBe('Warning: 7 points could not be stored.');
  });

  it('stops for a fault that will not pass', async () => {
    const { writer, faults } = createWriter();
    const denied = new Error('permission denied for table audio_data');
    faults.error = denied;
    await writer.add(points(0, 1));
    await expect.poll(() => writer.add(points(1, 1)).catch((error) => error)).toBe(denied);
    await expect(writer.close()).rejects.toBe(denied);
  });
});
