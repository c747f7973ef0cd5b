import { beforeEach, expect, it } from 'vitest';
import { DistributionOutput } from '../../../../src/operations/stats/distribution/contract.ts';
import { describeOnWire, openForAll } from '../../../engines.ts';
import { DBFS_SCALE } from '../../../scales.ts';
import { insertPoints, queryOf, startTestService } from '../../../service.ts';

const HOUR = 'from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z';

describeOnWire('stats.distribution', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeEach(() => service.sql('truncate audio_data'));
  const distribution = queryOf(service, '/stats/distribution', DistributionOutput);

  it('names classes by their lower edges, with their counts and the share of levels that reach them', async () => {
    const levels = [-50, -49.96, -45.04, -45, -0.06, -0.04, 0, null];
    await service.sql(
      insertPoints([
        ...levels.map((level, n): [string, number | null, null] => [`2026-01-01T00:00:0${n}Z`, level, null]),
        ['2026-01-01T01:00:00Z', -1, null], // outside the interval
      ]),
    );
    const { levels: classes, ...rest } = await distribution(`${HOUR}&step=5`);
    expect(rest).toEqual({
      excluded_seconds: 0,
      from: '2026-01-01T00:00:00.000000Z',
      to: '2026-01-01T01:00:00.000000Z',
      scale: DBFS_SCALE,
      step_db: 5,
      level_count: 7,
    });
    // levels are first rounded to 0.1 dB: -49.96 to -50, -45.04 to -45, -0.04 to 0
    expect(classes).toEqual([
      { level_db: -50, point_count: 2, exceeded_percent: 100 },
      { level_db: -45, point_count: 2, exceeded_percent: 500 / 7 },
      ...[-40, -35, -30, -25, -20, -15, -10].map((level_db) => ({
        level_db,
        point_count: 0,
        exceeded_percent: 300 / 7,
      })),
      { level_db: -5, point_count: 1, exceeded_percent: 300 / 7 },
      { level_db: 0, point_count: 2, exceeded_percent: 200 / 7 },
    ]);
  });

  it.each([
    ['', 51, -49],
    ['&step=0.1', 501, -49.9],
    ['&step=0.5', 101, -49.5],
  ])('has every class from -50 to 0 dB: %s', async (step, length, second) => {
    const { levels } = await distribution(`${HOUR}${step}`);
    expect(levels).toHaveLength(length);
    expect([levels[0]?.level_db, levels[1]?.level_db, levels.at(-1)?.level_db]).toEqual([-50, second, 0]);
    expect(levels.every((each) => each.point_count === 0 && each.exceeded_percent === null)).toBe(true);
  });

  it('agrees with the percentile levels of the summary', async () => {
    await service.sql(`insert into audio_data (time, rms_db)
      select '2026-01-01Z'::timestamptz + n * interval '1 s', -50 * random() from generate_series(0, 999) n`);
    const { levels } = await distribution(`${HOUR}&step=0.1`);
    const { body } = await service.get(`/stats/summary?${HOUR}`);
    for (const percent of [1, 5, 10, 50, 90, 95, 99]) {
      const reached = levels.filter(({ exceeded_percent }) => (exceeded_percent ?? 0) > percent);
      expect([percent, body[`l${percent}_db`]]).toEqual([percent, reached.at(-1)?.level_db]);
    }
  });
});
