// Nights made from known sources: the largest cause, and the shares.
import { expect, it } from 'vitest';
import { BANDS } from '../../../../src/contract/bands.ts';
import { instantOfMicros, microsOf } from '../../../../src/contract/instant.ts';
import { WhyOutput } from '../../../../src/operations/stats/why/contract.ts';
import { describeOnWire, openForAll } from '../../../engines.ts';
import { seeded } from '../../../seeded.ts';
import { queryOf, startTestService } from '../../../service.ts';
import { background, bursts, energyOf, passing, pointsOf, type Source, steady } from './night-of-sources.ts';

const START = '2026-01-10T22:00:00.000000Z';
const END = '2026-01-11T06:00:00.000000Z';
const SECONDS = 28_800;
const OFFSET_DB = 80;
const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
const at = (second: number) => instantOfMicros(microsOf(START) + BigInt(second) * 1_000_000n);

/** A night with one large source of a random kind, some small ones, and cars. */
function nightOf(seed: number): { sources: Source[]; large: Source[] } {
  const random = seeded(seed);
  const between = (from: number, to: number) => Math.floor(from + random() * (to - from));
  const pick = <Of>(list: readonly Of[]) => list[between(0, list.length)] as Of;
  const hz = () => pick([125, 160, 250, 400, 630, 1000, 2000, 3150]);
  const spread = (main: number) => {
    const index = BANDS.findIndex(({ nominal_hz }) => nominal_hz === main);
    const near = BANDS.slice(Math.max(0, index - 1), index + 2).map(({ nominal_hz }) => nominal_hz);
    return [...near, main, main];
  };
  // every source but the cars has a quarter of the night, 20 minutes from the next
  const quarters = [0, 1, 2, 3].sort(() => random() - 0.5);
  const place = (length: number) => {
    const start = (quarters.pop() ?? 0) * (SECONDS / 4);
    return { from: start + between(600, SECONDS / 4 - length - 600), length };
  };
  const sourceOf = (kind: Source['kind'], isLarge: boolean): Source => {
    const frequency_hz = hz();
    const level = isLarge ? between(52, 58) : between(42, 46);
    if (kind === 'tone')
      return steady(random, 'tone', {
        ...place(between(1200, 6000)),
        level,
        frequency_hz,
        deviation_db: 0.4,
      });
    if (kind === 'steady')
      return {
        ...steady(random, 'steady', {
          ...place(between(1200, 6000)),
          level,
          frequency_hz,
          deviation_db: 1.8,
        }),
        frequencies: spread(frequency_hz),
      };
    if (kind === 'bursts') {
      const on = between(4, 20);
      return bursts(random, {
        ...place(between(400, 1500)),
        level: level + 8,
        frequency_hz,
        on,
        off: between(2, on),
      });
    }
    return passing({ ...place(between(20, 60)), peak: isLarge ? 76 : 66, frequency_hz }, 'event');
  };
  const kind = pick(['tone', 'steady', 'bursts', 'event'] as const);
  const large = [sourceOf(kind, true)];
  const small = Array.from({ length: 3 }, () =>
    sourceOf(pick(['tone', 'steady', 'bursts', 'event'] as const), false),
  );
  const cars = Array.from({ length: between(20, 80) }, () =>
    passing({
      from: between(0, SECONDS - 30),
      length: between(14, 24),
      peak: between(46, 52),
      frequency_hz: pick([315, 400, 500, 630]),
    }),
  );
  return { sources: [background(random, between(31, 36), SECONDS), ...large, ...small, ...cars], large };
}

describeOnWire('The causes of nights made from known sources', (engine) => {
  const service = openForAll(() =>
    startTestService(engine, {
      site: { calibrationOffsetDb: OFFSET_DB, weighting: 'A' },
      clock: () => Date.parse('2026-01-12T00:00:00Z'),
    }),
  );
  const why = queryOf(service, '/stats/why', WhyOutput);

  it('have the right kind, band, time and share', async () => {
    const wrong: object[] = [];
    for (const seed of SEEDS) {
      await service.sql('truncate audio_data');
      const { sources, large } = nightOf(seed);
      const rows = pointsOf(sources, SECONDS).map(({ second, level, frequency_hz }) => [
        second,
        Math.max(-50, Math.min(0, level - OFFSET_DB)),
        frequency_hz,
      ]);
      await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
        select '${START}'::timestamptz + (row->>0)::int * interval '1 s', (row->>1)::float8, (row->>2)::int
        from json_array_elements('${JSON.stringify(rows)}') as row`);
      const { parts } = await why(`from=${START}&to=${END}&time_zone=UTC&limits=22-06=45`);
      const [part] = parts;
      const [first] = part?.episodes ?? [];
      const [truth] = large;
      if (!first || !truth) throw new Error('There is no episode');
      const bandIndex = (hz: number | null) => BANDS.findIndex(({ nominal_hz }) => nominal_hz === hz);
      const allowed = SECONDS * 10 ** 4.5;
      const shareOf = (some: readonly Source[]) =>
        some.reduce((sum, each) => sum + (100 * energyOf(each)) / allowed, 0);
      const off = {
        bands: Math.abs(bandIndex(first.band_main_hz) - bandIndex(truth.frequency_hz)),
        from: Math.abs(Date.parse(first.from) - Date.parse(at(truth.from))) / 1000,
        to: Math.abs(Date.parse(first.to) - Date.parse(at(truth.to))) / 1000,
        share: Math.abs(first.share_percent - shareOf(large)),
        of: shareOf(large),
      };
      // short small sounds pass, whatever made them
      const cars = sources.filter((each) => each !== truth && ['passing', 'event'].includes(each.kind));
      const found = (part?.episodes ?? []).filter(
        (each) => each !== first && ['passing', 'event'].includes(each.kind),
      );
      const passingShare = Math.abs(found.reduce((sum, each) => sum + each.share_percent, 0) - shareOf(cars));
      if (
        first.kind !== truth.kind ||
        off.bands > 1 ||
        off.from > 300 ||
        off.to > 300 ||
        off.share > 5 ||
        passingShare > 5
      )
        wrong.push({ seed, truth: truth.kind, found: first.kind, ...off, passingShare });
    }
    expect(wrong).toEqual([]);
  });
});
