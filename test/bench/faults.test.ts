import { expect, it } from 'vitest';
import { createRandom, createRequestGenerator } from '../../bench/faults/request-generator.ts';
import { firstOkAfter, percentile, statusesOf } from '../../bench/faults/samples.ts';

const samples = [
  { at: 1000, tookMs: 5, status: 200 },
  { at: 1100, tookMs: 900, status: 503 },
  { at: 1200, tookMs: 400, status: 200 },
  { at: 1300, tookMs: 100, status: 200 },
  { at: 1400, tookMs: 1, status: 0 },
];

it('returns the times and the statuses of all requests', () => {
  expect(percentile(samples, 0.5)).toBe(100);
  expect(percentile(samples, 1)).toBe(900);
  expect(statusesOf(samples)).toBe('broken x 1, 200 x 3, 503 x 1');
});

it('reports when the first request after a fault got an answer', () => {
  expect(firstOkAfter(samples, 1050)).toBe(350);
  expect(firstOkAfter(samples, 1301)).toBe(Number.POSITIVE_INFINITY);
});

it('generates valid and invalid requests, the same from the same seed', () => {
  const operations = [
    {
      path: '/audio/latest',
      parameters: [{ name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 10 } }],
    },
  ];
  const row = (seed: number) => {
    const next = createRequestGenerator(operations, createRandom(seed));
    return Array.from({ length: 2000 }, () => next());
  };
  expect(row(1)).toEqual(row(1));
  expect(row(1)).not.toEqual(row(2));
  const urls = row(1).map(({ url }) => url);
  for (const url of ['/api/v1/audio/latest?', '/api/v1/audio/latest?limit=3', '/api/v1/audio/latest?limit=0'])
    expect(urls).toContain(url);
  expect(urls.some((url) => url.startsWith('/trpc/audio.latest?batch=1'))).toBe(true);
});
