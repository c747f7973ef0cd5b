// stats.why against its definition and against the sources that the sound was made of.
import { beforeEach, describe, expect, it } from 'vitest';
import { instantOfMicros, microsOf } from '../../../../src/contract/instant.ts';
import { type Episode, WhyOutput } from '../../../../src/operations/stats/why/contract.ts';
import { describeEachEngine, openForAll } from '../../../engines.ts';
import { seeded } from '../../../seeded.ts';
import { queryOf, startTestService } from '../../../service.ts';
import {
  background,
  bursts,
  energyOf,
  type Point,
  passing,
  pointsOf,
  type Source,
  steady,
} from './night-of-sources.ts';
import { episodesBy, l90Of, type Sample } from './why-definition.ts';

const START = '2026-01-10T22:00:00.000000Z';
const END = '2026-01-11T02:00:00.000000Z';
const SECONDS = 14_400;
const OFFSET_DB = 80;
const NIGHT = `from=${START}&to=${END}&time_zone=UTC`;
const at = (second: number) => Number(microsOf(START)) + second * 1e6;
const time = (second: number) => instantOfMicros(BigInt(at(second)));
const near = (figure: number) => expect.closeTo(figure, 6);

describeEachEngine('stats.why', (engine) => {
  let now = '';
  const service = openForAll(() =>
    startTestService(engine, {
      site: { calibrationOffsetDb: OFFSET_DB, weighting: 'A' },
      clock: () => Date.parse(now),
    }),
  );
  const why = queryOf(service, '/stats/why', WhyOutput);
  beforeEach(async () => {
    now = '2026-01-12T00:00:00Z';
    for (const table of ['audio_data', 'audio_data_periods', 'audio_data_exclusions', 'audio_data_overload'])
      await service.sql(`truncate ${table}`);
  });
  const stored = ({ level }: Point) => Math.fround(Math.max(-50, Math.min(0, level - OFFSET_DB)));
  async function insert(points: readonly Point[]): Promise<void> {
    const rows = points.map((point) => [at(point.second), stored(point), point.frequency_hz]);
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select to_timestamp((row->>0)::float8 / 1e6), (row->>1)::float8, (row->>2)::int
      from json_array_elements('${JSON.stringify(rows)}') as row`);
  }
  async function partOf(limits: string, query = NIGHT) {
    const { parts } = await why(`${query}&limits=${limits}`);
    expect(parts).toHaveLength(1);
    return parts[0] as (typeof parts)[number];
  }
  const without = (episodes: readonly Episode[]) => episodes.filter(({ kind }) => kind !== 'background');

  /** Sounds at random times, some of them over each other. */
  function someSources(random: () => number): Source[] {
    const between = (from: number, to: number) => Math.floor(from + random() * (to - from));
    const frequency = () => [125, 160, 200, 315, 800, 1600, 4000][between(0, 7)] ?? 500;
    const of = (length: number) => ({
      from: between(0, SECONDS - length),
      length,
      frequency_hz: frequency(),
    });
    return [
      background(random, 34, SECONDS),
      ...Array.from({ length: 4 }, (_, index) =>
        steady(random, index % 2 ? 'tone' : 'steady', {
          ...of(between(150, 2500)),
          level: between(40, 55),
          deviation_db: index % 2 ? 0.3 : 1.6,
        }),
      ),
      bursts(random, { ...of(between(200, 600)), level: 60, on: 12, off: 11 }),
      ...Array.from({ length: 25 }, () => passing({ ...of(between(8, 40)), peak: between(44, 70) })),
    ];
  }

  it.each([1, 2])('gives the episodes of its definition for random nights, %i', async (seed) => {
    const random = seeded(seed);
    const points = pointsOf(someSources(random), SECONDS);
    const gap = Math.floor(3000 + random() * 6000);
    const kept = points.filter(({ second }) => second < gap || second >= gap + 700);
    const exclusion = gap + 2000;
    await insert(kept);
    await service.sql(`insert into audio_data_exclusions (since, until, reason)
      values ('${time(exclusion)}', '${time(exclusion + 333)}', 'rain')`);
    // the two nights before, quieter by half a decibel
    const before = [1, 2].map((day) =>
      pointsOf([background(random, 34 - day / 2, 3600)], 3600).map((point) => ({
        ...point,
        second: point.second - day * 86_400,
      })),
    );
    for (const each of before) await insert(each);
    const samples = kept
      .filter(({ second }) => second < exclusion || second >= exclusion + 333)
      .map(
        (point): Sample => ({ at: at(point.second), level: stored(point), frequency: point.frequency_hz }),
      );
    const levels = before.map((each) =>
      l90Of(each.map((point) => ({ at: 0, level: stored(point), frequency: 1 }))),
    );
    const background_db = Math.min(
      l90Of(samples),
      Math.round((((levels[0] ?? 0) + (levels[1] ?? 0)) / 2) * 100) / 100,
    );
    const open = [
      { from: at(0), to: at(exclusion) },
      { from: at(exclusion + 333), to: at(SECONDS) },
    ];
    for (const limits of ['22-02=45', '22-02=40:5:hour']) {
      const part = await partOf(limits);
      expect(part.background_db).toBe(background_db);
      const assessed = {
        from: Number(microsOf(part.assessed_from ?? '')),
        to: Number(microsOf(part.assessed_to ?? '')),
      };
      const used = part.used_percent ?? Number.NaN;
      const expected = episodesBy(samples, open, { background: background_db, spacing: 1e6, used, assessed });
      const found = without(part.episodes).map(({ runs, again, band_from_hz, band_to_hz, ...episode }) => ({
        ...episode,
        from: Number(microsOf(episode.from)),
        to: Number(microsOf(episode.to)),
        run_maxima: runs.map(({ max_db }) => max_db ?? Number.NaN).sort((a, b) => b - a),
      }));
      expect(found).toEqual(
        expected.map((episode) => ({
          ...episode,
          leq_db: near(episode.leq_db),
          max_db: expect.closeTo(episode.max_db, 5),
          run_maxima: episode.run_maxima.map((level) => expect.closeTo(level, 5)),
          share_percent: near(episode.share_percent),
          level_without_db: near(episode.level_without_db),
        })),
      );
      const shares = part.episodes.reduce((sum, { share_percent }) => sum + share_percent, 0);
      expect(shares).toBeCloseTo(used, 6);
    }
  });

  it('finds the kind, the time, the band and the share of each source', async () => {
    const random = seeded(7);
    const tone = steady(random, 'tone', {
      from: 1233,
      length: 2710,
      level: 48,
      frequency_hz: 160,
      deviation_db: 0.3,
    });
    const party = bursts(random, { from: 8000, length: 400, level: 62, frequency_hz: 800, on: 16, off: 13 });
    const cars = Array.from({ length: 12 }, (_, index) =>
      passing({ from: 300 + index * 1150, length: 20, peak: 52, frequency_hz: 400 }),
    );
    await insert(pointsOf([background(random, 34, SECONDS), tone, party, ...cars], SECONDS));
    const part = await partOf('22-02=45');
    const allowed = SECONDS * 10 ** 4.5;
    const shareOf = (sources: readonly Source[]) =>
      sources.reduce((sum, each) => sum + (100 * energyOf(each)) / allowed, 0);
    expect(part.episodes).toMatchObject([
      { kind: 'bursts', band_main_hz: 800, from: time(8000), run_count: 1 },
      { kind: 'tone', band_main_hz: 160, band_to_hz: 160, from: time(1233), to: time(3943), run_count: 1 },
      { kind: 'passing', band_main_hz: 400 },
      { kind: 'background', from: START, to: END, runs: [], max_db: null },
    ]);
    const [ofBursts, ofTone, ofCars] = part.episodes.map(({ share_percent }) => share_percent);
    expect(Math.abs((ofBursts ?? 0) - shareOf([party]))).toBeLessThan(2);
    expect(Math.abs((ofTone ?? 0) - shareOf([tone]))).toBeLessThan(2);
    expect(Math.abs((ofCars ?? 0) - shareOf(cars))).toBeLessThan(2);
    expect(part).toMatchObject({ state: 'over', enough: 1, at_least: false, limit_db: 45, penalty_db: 0 });
  });

  describe('with steady sound', () => {
    const night = (levels: readonly (readonly [length: number, level: number])[]) =>
      levels
        .flatMap(([length, level]) => Array.from({ length }, () => level))
        .map((level, second) => ({ second, level: level + (second % 2 ? 0.2 : -0.2), frequency_hz: 160 }));

    it('cuts a run where its level changes by 5 dB, and joins runs of one level', async () => {
      await insert(
        night([
          [6000, 34],
          [1200, 44],
          [1200, 51],
          [3000, 34],
          [900, 45],
          [2100, 34],
        ]),
      );
      const part = await partOf('22-02=45');
      expect(without(part.episodes)).toMatchObject([
        { kind: 'tone', run_count: 1, from: time(7200), to: time(8400), duration_seconds: 1200 },
        {
          kind: 'tone',
          run_count: 2,
          duration_seconds: 2100,
          runs: [
            expect.objectContaining({ from: time(6000), to: time(7200) }),
            expect.objectContaining({ from: time(11_400), to: time(12_300) }),
          ],
        },
      ]);
    });

    it('bridges three minutes, and not more', async () => {
      await insert(
        night([
          [6000, 34],
          [600, 45],
          [180, 34],
          [600, 45],
          [240, 34],
          [600, 45],
          [6180, 34],
        ]),
      );
      const [first] = (await partOf('22-02=45')).episodes;
      expect(first).toMatchObject({ kind: 'tone', run_count: 2, duration_seconds: 1980 });
    });

    it('takes the background of the days before, so that sound of a whole night counts', async () => {
      await insert(night([[SECONDS, 50]]));
      expect((await partOf('22-02=45')).episodes).toMatchObject([{ kind: 'background' }]);
      for (const day of [1, 2, 3])
        await insert(night([[3600, 34]]).map((point) => ({ ...point, second: point.second - day * 86_400 })));
      const part = await partOf('22-02=45');
      expect(part).toMatchObject({ background_db: near(33.8 - OFFSET_DB) });
      expect(part.episodes).toMatchObject([
        { kind: 'tone', from: START, to: END, share_percent: expect.closeTo(309, 0) },
        { kind: 'background' },
      ]);
    });

    it('names the earlier episodes of its kind and band', async () => {
      const at2 = night([
        [6000, 34],
        [1200, 50],
        [7200, 34],
      ]);
      for (const day of [0, 1])
        await insert(at2.map((point) => ({ ...point, second: point.second - day * 86_400 })));
      const { parts } = await why(`from=2026-01-09T22:00:00Z&to=${END}&time_zone=UTC&limits=22-02=45`);
      expect(parts.map(({ episodes }) => episodes.map(({ kind, again }) => [kind, again]))).toEqual([
        [
          ['tone', []],
          ['background', []],
        ],
        [
          ['tone', [{ from: time(6000 - 86_400), to: time(7200 - 86_400) }]],
          ['background', []],
        ],
      ]);
    });

    it('is told up to now while the part runs', async () => {
      await insert(
        night([
          [6000, 34],
          [1200, 50],
        ]),
      );
      now = time(7200);
      const part = await partOf('22-02=45');
      expect(part).toMatchObject({ is_running: true, to: END, assessed_to: time(7200) });
      expect(part.episodes).toMatchObject([
        { kind: 'tone', from: time(6000), to: time(7200) },
        { kind: 'background' },
      ]);
      const shares = part.episodes.reduce((sum, { share_percent }) => sum + share_percent, 0);
      expect(shares).toBeCloseTo(part.used_percent ?? Number.NaN, 6);
    });
  });

  it('says that its shares are at least so large if a level is at the ceiling', async () => {
    await insert(pointsOf([background(seeded(1), 34, 7200)], 7200));
    expect(await partOf('22-02=45')).toMatchObject({ at_least: false });
    await service.sql(`update audio_data set rms_db = 0 where time = '${time(77)}'`);
    expect(await partOf('22-02=45')).toMatchObject({ at_least: true });
  });

  it('parts the day at 07:00 and 23:00 without limits, with shares of 100 percent', async () => {
    await insert(
      pointsOf(
        [background(seeded(1), 34, 7200), passing({ from: 5000, length: 30, peak: 60, frequency_hz: 500 })],
        7200,
      ),
    );
    const { parts, offset_db } = await why(NIGHT);
    expect(
      parts.map(({ from, to, limit_db, used_percent, enough }) => [from, to, limit_db, used_percent, enough]),
    ).toEqual([
      ['2026-01-10T07:00:00.000000Z', '2026-01-10T23:00:00.000000Z', null, null, null],
      ['2026-01-10T23:00:00.000000Z', '2026-01-11T07:00:00.000000Z', null, null, null],
    ]);
    expect(offset_db).toBe(OFFSET_DB);
    for (const { episodes } of parts)
      expect(episodes.reduce((sum, { share_percent }) => sum + share_percent, 0)).toBeCloseTo(100, 9);
  });

  it('has no parts for maxima, and no episodes for two scales or nothing measured', async () => {
    expect((await partOf('22-02=45')).episodes).toEqual([]);
    await insert(pointsOf([background(seeded(1), 34, 7200)], 7200));
    const period = (since: string, columns: object) =>
      service.sql(`insert into audio_data_periods select * from json_populate_record(null::audio_data_periods,
        '${JSON.stringify({ since, ...columns })}')`);
    await period(time(3600), { weighting: 'A', reference_db: 90 });
    expect(await partOf('22-02=45')).toMatchObject({
      episodes_reason: 'two_scales',
      episodes: [],
      state: null,
    });
    await service.sql('truncate audio_data_periods');
    await period(time(-1), { weighting: 'A', time_weighting: 'fast', statistic: 'max', interval_ms: 1000 });
    expect(await why(`${NIGHT}&limits=22-02=45`)).toMatchObject({ reason: 'energy_of_maxima', parts: [] });
  });
});
