// The level chart between two answers: streamed points give the same chart as the service's next answer.
import { expect, it, onTestFinished } from 'vitest';
import type { Outputs, Point } from '../../src/client/index.ts';
import { changeTail, continueSeries, NO_TAIL } from '../../src/page/state/live-tail.ts';
import { startSmallService } from '../client/embedded-service.ts';
import { DBFS_SCALE } from '../scales.ts';
import { insertPoints } from '../service.ts';

type Series = Outputs['stats']['series'];

/** Some minutes before the clock of the test service. */
const START = Date.parse('2026-03-01T11:50:00Z');
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString().replace('Z', '000Z');

/** Points every 0.3 s, some without a level, a frequency or sound. */
const points = Array.from(
  { length: 400 },
  (_, i): Point => ({
    time: at(i * 0.3),
    rms_db: i % 17 === 0 ? null : Math.round(-2500 - 2000 * Math.sin(i / 9)) / 100,
    frequency_hz: i % 11 === 0 ? null : 300 + 100 * ((i * i) % 7),
    is_silence: i % 5 === 0,
  }),
);

/** Equal levels up to rounding, which depends on the order of a sum. */
function expectSame(got: Series, service: Series): void {
  const rounded = ({ buckets, ...rest }: Series) => ({
    ...rest,
    buckets: buckets.map(({ leq_db, avg_db, silence_percent, dominant_frequency_hz, ...bucket }) => bucket),
  });
  expect(rounded(got)).toEqual(rounded(service));
  for (const [i, { leq_db }] of service.buckets.entries()) {
    if (leq_db === null) expect(got.buckets[i]?.leq_db).toBeNull();
    else expect(got.buckets[i]?.leq_db).toBeCloseTo(leq_db, 9);
  }
}

it('continues buckets of any short length as the service does', async () => {
  const service = await startSmallService();
  onTestFinished(() => service.close());
  const buckets = ['1s', '2s', '5s', '10s'] as const;
  const series = (bucket: (typeof buckets)[number], to: number) =>
    service.client.stats.series.query({ from: at(0), to: at(to), bucket });
  const isEarly = ({ time }: Point) => time < at(39.5);
  const store = (some: readonly Point[]) =>
    service.sql(insertPoints(some.map((p) => [p.time, p.rms_db, p.frequency_hz, p.is_silence])));
  await store(points.filter(isEarly));
  // without the last half second, which comes late
  const firsts = await Promise.all(
    buckets.map(async (bucket) => [bucket, await series(bucket, 40)] as const),
  );
  await store(points.filter((point) => !isEarly(point)));
  let tail = changeTail(NO_TAIL, { restartFrom: at(20), points: [] });
  tail = changeTail(tail, { restartFrom: null, points: points.filter(({ time }) => time >= at(20)) });
  for (const [bucket, first] of firsts)
    for (const to of [41, 47, 60, 100]) {
      const got = continueSeries(first, Number.parseInt(bucket, 10), tail, START + to * 1000);
      expectSame(got, await series(bucket, to));
    }
});

it('replaces points after a restart, in order of time, and keeps at most two minutes', () => {
  const level = { rms_db: -20, frequency_hz: 440, is_silence: false };
  const point = (seconds: number): Point => ({ time: at(seconds), ...level });
  const change = (tail: typeof NO_TAIL, restart: number | null, ...seconds: number[]) =>
    changeTail(tail, { restartFrom: restart === null ? null : at(restart), points: seconds.map(point) });
  let tail = change(NO_TAIL, 10);
  expect(tail).toEqual({ since: at(10), points: [] });
  tail = change(tail, null, 11, 13);
  tail = change(tail, null, 12, 14); // one is late
  expect(tail).toEqual({ since: at(10), points: [11, 12, 13, 14].map(point) });
  tail = change(change(tail, 13), null, 13.5);
  expect(tail).toEqual({ since: at(10), points: [11, 12, 13.5].map(point) });
  tail = change(change(tail, 5), null, 6); // the clock was set back
  expect(tail).toEqual({ since: at(5), points: [point(6)] });
  tail = change(tail, null, 100, 130);
  expect(tail).toEqual({ since: at(10), points: [100, 130].map(point) });
});

it('leaves a series unchanged if the points after it are unknown', () => {
  const bucket = { time: at(0), point_count: 0, avg_db: null, max_db: null, min_db: null, leq_db: null };
  const none = { silence_percent: null, dominant_frequency_hz: null, leq_low_db: null };
  const levels = { l10_db: null, l50_db: null, l90_db: null };
  const series: Series = {
    from: at(0),
    to: at(10),
    excluded_seconds: 0,
    scale: DBFS_SCALE,
    bucket: '10s',
    time_zone: 'UTC',
    buckets: [{ ...bucket, ...none, ...levels }],
  };
  expect(continueSeries(series, 10, NO_TAIL, START + 30_000)).toBe(series);
  const tail = changeTail(NO_TAIL, { restartFrom: at(11), points: points.slice(0, 100) });
  expect(continueSeries(series, 10, tail, START + 30_000)).toBe(series);
});
