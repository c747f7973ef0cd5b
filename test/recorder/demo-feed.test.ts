import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { instantOf } from '../../src/contract/instant.ts';
import type { Point } from '../../src/contract/point.ts';
import { startLiveRecorder } from '../../src/recorder/demo/demo-feed.ts';
import { INTERVAL_MS, pointAt } from '../../src/recorder/demo/demo-points.ts';
import { memoryDatabase } from './run.ts';

/** One point per second in some hours of a day, on this machine's clock. */
function hours(first: number, count: number): Point[] {
  const start = new Date(2026, 4, 5, first).getTime();
  return Array.from({ length: count * 3600 }, (_, second) => pointAt(start + second * 1000));
}

/** The lengths of runs of neighbouring points that fulfil a condition. */
function runs(points: readonly Point[], condition: (point: Point) => boolean): number[] {
  const text = points.map((point) => (condition(point) ? 'x' : ' ')).join('');
  return text.split(/ +/).flatMap(({ length }) => (length > 0 ? [length] : []));
}

const isLoud = ({ rms_db }: Point) => (rms_db ?? -50) > -10;
const meanOf = (points: readonly Point[]) =>
  points.reduce((sum, { rms_db }) => sum + (rms_db ?? -50), 0) / points.length;

describe('The sound of the demo', () => {
  const night = hours(0, 5);
  const day = hours(9, 9);

  it('has real silence now and then, never for more than half a minute', () => {
    for (const points of [night, day, hours(5, 4), hours(18, 6)]) {
      const silences = runs(points, ({ is_silence }) => is_silence);
      expect(silences.length).toBeGreaterThan(points.length / 3600);
      expect(Math.max(...silences)).toBeLessThanOrEqual(30);
      expect(points.some(({ rms_db }) => rms_db === -50)).toBe(true);
    }
  });

  it('has several loud moments an hour by day, and some at night', () => {
    expect(runs(day, isLoud).length / 9).toBeGreaterThan(3);
    expect(runs(day, isLoud).length / 9).toBeLessThan(20);
    expect(runs(night, isLoud).length).toBeGreaterThan(1);
    expect(runs(night, isLoud).length / 5).toBeLessThan(4);
  });

  it('follows the local time of the machine in every zone', () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const zone of ['UTC', 'Asia/Tokyo', 'America/Los_Angeles']) {
      vi.stubEnv('TZ', zone);
      const [night, noon] = [3, 12].map((hour) => hours(hour, 0.25));
      expect(meanOf(noon ?? []) - meanOf(night ?? []), zone).toBeGreaterThan(5);
    }
    expect(new Date(2026, 4, 5).toISOString()).toBe('2026-05-05T07:00:00.000Z'); // the zone did change
  });

  it('is the same each time', () => {
    expect(hours(12, 0.1)).toEqual(hours(12, 0.1));
  });
});

describe('The live recorder of the demo', () => {
  it('continues from its start without a gap, even after a failing write, and can be stopped', async () => {
    const lines: string[] = [];
    let stores = 0;
    const db = memoryDatabase(() => {
      stores += 1;
      if (stores === 1) throw new Error('disk full');
    });
    const begin = Date.now();
    let ahead = 0; // the clock leaps, so that each write covers ten seconds
    const recorder = startLiveRecorder(
      db,
      instantOf(begin),
      () => {
        ahead += 10_000;
        return instantOf(Date.now() + ahead);
      },
      (line) => lines.push(line),
    );
    await expect.poll(() => db.rows.length).toBeGreaterThan(30);
    await recorder.stop();
    const end = Date.now() + ahead;
    expect(lines).toEqual([
      'Warning: the demo could not store its newest points: disk full. It tries again; restart it if this repeats',
    ]);
    const times = db.rows.map((row) => Date.parse(row.slice(0, 27)));
    expect(times[0]).toBeGreaterThan(begin + 9000);
    expect(times.at(-1)).toBeLessThanOrEqual(end - INTERVAL_MS);
    for (const [i, time] of times.slice(1).entries()) expect(time - (times[i] ?? 0)).toBe(INTERVAL_MS);
  });
});
