// Checks that stats.quality finds gaps of any length, wherever they start.
import fc from 'fast-check';
import { expect } from 'vitest';
import { QualityOutput } from '../../src/contract/quality.ts';
import { refreshRollups } from '../../src/store/refresh-rollups.ts';
import type { Engine } from '../engines.ts';
import { DENSE_DAYS } from '../queries/changing-points.ts';
import { insertPoints, startTestService, type TestService } from '../service.ts';

const FROM = Date.parse('2026-02-01T00:00:00Z');
export const at = (ms: number) => new Date(FROM + ms).toISOString().replace('Z', '000Z');

export async function startQuality(engine: Engine): Promise<TestService> {
  const service = await startTestService(engine);
  await service.sql(DENSE_DAYS);
  return service;
}

export const fillRollups = ({ sql }: TestService) => refreshRollups(sql, 100_000);

const distance = fc.oneof(
  { weight: 40, arbitrary: fc.integer({ min: 0, max: 3000 }) },
  { weight: 4, arbitrary: fc.integer({ min: 3000, max: 20_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 20_000, max: 400_000 }) },
);
const least = fc.constantFrom(0.001, 0.05, 0.5, 1, 2, 3, 4.5, 10, 11, 25, 59, 61, 62.5, 120, 300);

export const findsEveryGap = (service: TestService) =>
  fc.asyncProperty(fc.array(distance, { minLength: 1, maxLength: 200 }), least, async (distances, min) => {
    await service.sql('truncate audio_data');
    let last = 0;
    const times = distances.map((each) => {
      last += each;
      return last;
    });
    await service.sql(insertPoints(times.map((ms) => [at(ms), -20, 440])));
    await fillRollups(service);
    const [from, to] = [Math.floor((times[0] ?? 0) * 0.7), last + 7000];
    const points = [from, ...times, to];
    const expected = points.flatMap((until, index) => {
      const since = points[index - 1] ?? until;
      const seconds = (until - since) / 1000;
      return seconds >= min ? [{ from: at(since), to: at(until), seconds }] : [];
    });
    const query = `from=${at(from)}&to=${at(to)}&min_gap_seconds=${min}`;
    const { gaps, gap_count } = QualityOutput.parse((await service.get(`/stats/quality?${query}`)).body);
    expect(gaps).toEqual(expected);
    expect(gap_count).toBe(expected.length);
  });
