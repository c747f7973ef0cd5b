import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import { fillDay, startLiveRecorder } from '../../src/recorder/demo-feed.ts';
import { synthesise } from '../../src/recorder/synthesise.ts';
import { memoryDatabase, NOW } from './run.ts';

describe('The day of the demo', () => {
  it('is one point a second up to now, with silence, talk and loud moments', async () => {
    const db = memoryDatabase();
    expect(await fillDay(db, '2026-05-05T12:00:00.700000Z')).toBe(86_400);
    const points = db.rows.map((row) => row.split(','));
    expect(points[0]?.[0]).toBe('2026-05-04T12:00:01.000000Z');
    expect(points.at(-1)?.[0]).toBe(NOW);
    expect(new Set(points.map(([time]) => time)).size).toBe(86_400);
    const silent = points.filter(([, , hz, silence]) => hz === '' && silence === 'true').length;
    expect(silent).toBeGreaterThan(8_000);
    expect(silent).toBeLessThan(50_000);
    const loud = points.filter(([, db]) => Number(db) > -10).length;
    expect(loud).toBeGreaterThan(10);
    expect(loud).toBeLessThan(500);
    expect(new Set(points.map(([, , hz]) => hz)).size).toBeGreaterThan(300);
  });

  it('is left alone when there are points already', async () => {
    const db = { ...memoryDatabase(), query: async <Row>() => [{ one: 1 }] as Row[] };
    expect(await fillDay(db, NOW)).toBe(0);
    expect(db.rows).toEqual([]);
  });

  it('sounds the same each time', () => {
    expect(synthesise(1_770_000_000_123, 100)).toEqual(synthesise(1_770_000_000_123, 100));
    expect(synthesise(1_770_000_000_123, 100)).toHaveLength(800);
  });
});

describe('The live recorder of the demo', () => {
  it('adds ten points a second, goes on after a failing write, and stops when told', async () => {
    const abort = new AbortController();
    const lines: string[] = [];
    let stores = 0;
    const db = memoryDatabase(() => {
      stores += 1;
      if (stores === 1) throw new Error('disk full');
    });
    const begin = Date.now();
    const stopped = startLiveRecorder(
      db,
      () => instantOf(Date.now()),
      abort.signal,
      (line) => lines.push(line),
    );
    await expect.poll(() => db.rows.length, { timeout: 5000 }).toBeGreaterThan(10);
    abort.abort();
    await stopped;
    const elapsed = Date.now() - begin;
    expect(lines).toEqual(['Warning: points of the live recorder were not stored: disk full']);
    expect(db.rows.length).toBeLessThanOrEqual(elapsed / 100);
    const times = db.rows.map((row) => Date.parse(row.slice(0, 27)));
    for (const [i, time] of times.slice(1).entries()) expect(time - (times[i] ?? 0)).toBe(100);
  });
});
