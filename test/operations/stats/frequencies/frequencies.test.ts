import { beforeEach, describe, expect, it } from 'vitest';
import { BAND_STARTS, BANDS } from '../../../../src/contract/bands.ts';
import { FrequenciesOutput } from '../../../../src/operations/stats/frequencies/contract.ts';
import { describeOnWire, openForAll } from '../../../engines.ts';
import { insertPoints, queryOf, startTestService } from '../../../service.ts';

describe('The bands', () => {
  /** IEC 61260-1:2014, table E.1: exact midband frequencies of third octaves, base ten, to five digits. */
  const MIDBAND = [
    100, 125.89, 158.49, 199.53, 251.19, 316.23, 398.11, 501.19, 630.96, 794.33, 1000, 1258.9, 1584.9, 1995.3,
    2511.9, 3162.3, 3981.1, 5011.9, 6309.6, 7943.3,
  ];

  it('have the midband frequencies and edges of the standard', () => {
    expect(BANDS.map(({ from_hz, to_hz }) => Number(Math.sqrt(from_hz * to_hz).toPrecision(5)))).toEqual(
      MIDBAND,
    );
    for (const { from_hz, to_hz } of BANDS) expect(to_hz / from_hz).toBeCloseTo(10 ** 0.1, 12);
    for (const [n, { to_hz }] of BANDS.slice(0, -1).entries()) expect(BANDS[n + 1]?.from_hz).toBe(to_hz);
    expect(BANDS.map(({ nominal_hz }) => nominal_hz).join()).toBe(
      '100,125,160,200,250,315,400,500,630,800,1000,1250,1600,2000,2500,3150,4000,5000,6300,8000',
    );
  });
});

describeOnWire('stats.frequencies', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeEach(() => service.sql('truncate audio_data'));
  const frequencies = queryOf(service, '/stats/frequencies', FrequenciesOutput);
  const none = BANDS.map(() => 0);
  const counts = (some: Record<number, number>) => none.map((_, band) => some[band] ?? 0);

  it('counts points by bucket and by band, including those without a frequency', async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T00:59:59.999999Z', -1, 100], // before `from`
        ['2026-01-01T01:00:00Z', -1, 100],
        ['2026-01-01T01:00:01Z', null, 112],
        ['2026-01-01T01:00:01Z', -1, 113],
        ['2026-01-01T01:00:02Z', -1, null],
        ['2026-01-01T02:59:59Z', -1, 8000],
        ['2026-01-01T03:00:00Z', -1, 1000], // at `to`
      ]),
    );
    const { buckets, bands, ...rest } = await frequencies(
      'from=2026-01-01T01:00:00Z&to=2026-01-01T03:00:00Z&bucket=1h',
    );
    expect(bands).toEqual(BANDS);
    expect(rest).toEqual({
      excluded_seconds: 0,
      from: '2026-01-01T01:00:00.000000Z',
      to: '2026-01-01T03:00:00.000000Z',
      bucket: '1h',
    });
    expect(buckets).toEqual([
      { time: '2026-01-01T01:00:00.000000Z', point_count: 4, counts: counts({ 0: 2, 1: 1 }) },
      { time: '2026-01-01T02:00:00.000000Z', point_count: 1, counts: counts({ 19: 1 }) },
    ]);
  });

  it('assigns every frequency to the band whose edges enclose it', async () => {
    await service.sql(`insert into audio_data (time, frequency_hz)
      select '2026-01-01Z'::timestamptz + n * interval '1 ms', n from generate_series(100, 8000) n`);
    const { buckets } = await frequencies('from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&bucket=1d');
    const expected = none.slice();
    for (let hz = 100; hz <= 8000; hz++) {
      const band = BANDS.findIndex(({ from_hz, to_hz }) => from_hz <= hz && hz < to_hz);
      expected[band] = (expected[band] ?? 0) + 1;
    }
    expect(buckets[0]?.counts).toEqual(expected);
    expect(BAND_STARTS.map((start) => BANDS.findIndex(({ from_hz }) => from_hz > start) - 1).at(3)).toBe(4);
  });

  it('chooses buckets for at most 200 by default, and allows up to 2,000', async () => {
    const day = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
    expect((await frequencies(day)).bucket).toBe('10m');
    expect((await frequencies(`${day}&max_points=2000`)).bucket).toBe('1m');
    const year = 'from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z';
    expect((await frequencies(year)).bucket).toBe('1d'); // 365 buckets, because none is longer
  });
});
