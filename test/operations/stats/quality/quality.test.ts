import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { MIGRATIONS_FOLDER } from '../../../../src/database/schema-version.ts';
import { QualityOutput } from '../../../../src/operations/stats/quality/contract.ts';
import { quality as readQuality } from '../../../../src/operations/stats/quality/query.ts';
import { refreshRollups } from '../../../../src/rollups/refresh-rollups.ts';
import { describeEachEngine, describeOnWire, openForAll } from '../../../engines.ts';
import { insertPoints, queryOf, startTestService } from '../../../service.ts';
import { DENSE_DAYS } from '../../changing-points.ts';

const THREE_HOURS = 'from=2026-02-01T00:00:00Z&to=2026-02-01T03:00:00Z';

describeOnWire('stats.quality', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeEach(() => service.sql(`truncate audio_data; ${DENSE_DAYS}`));
  const quality = queryOf(service, '/stats/quality', QualityOutput);
  const settle = () => refreshRollups(service.sql, 100_000);

  it('reports coverage, gaps, and points with future times', async () => {
    await service.sql(
      insertPoints([
        ['2026-03-01T11:00:00Z', -50, 100, true],
        ['2026-03-01T11:00:10Z', -49.96, 100],
        ['2026-03-01T11:00:20Z', -49.94, 100],
        ['2026-03-01T11:00:20Z', -0.04, 100],
        ['2026-03-01T11:00:20Z', -0.06, 100],
        ['2026-03-01T11:00:30Z', null, 100],
        ['2026-03-01T11:10:00Z', -10, 100], // after a gap of 570 s
        ['2026-03-01T12:00:00.500001Z', -10, 100], // a microsecond ahead of now
      ]),
    );
    expect(await quality('from=2026-03-01T10:59:59Z&to=2026-03-01T13:00:00Z')).toEqual({
      from: '2026-03-01T10:59:59.000000Z',
      to: '2026-03-01T13:00:00.000000Z',
      point_count: 8,
      repeated_count: 2,
      spacing_seconds: 10,
      min_gap_seconds: 50,
      coverage_percent: expect.closeTo((100 * 31) / 3601.5, 9),
      gap_count: 2,
      gap_seconds: 570 + 3000.5,
      gaps: [
        { from: '2026-03-01T11:00:30.000000Z', to: '2026-03-01T11:10:00.000000Z', seconds: 570 },
        { from: '2026-03-01T11:10:00.000000Z', to: '2026-03-01T12:00:00.500000Z', seconds: 3000.5 },
      ],
      exclusion_count: 0,
      exclusions: [],
      null_level_percent: 12.5,
      at_floor_percent: 200 / 7,
      at_ceiling_percent: 100 / 7,
      overload_percent: null,
      clock: null,
      silence_percent: 12.5,
      future_count: 1,
      ahead_count: 0,
      newest: '2026-03-01T11:10:00.000000Z',
      newest_age_seconds: 3000.5,
    });
  });

  it('counts the points of the interval that are dated a minute or more ahead', async () => {
    await service.sql(
      insertPoints([
        ['2026-03-01T12:01:00.499999Z', -1, 100],
        ['2026-03-01T12:01:00.5Z', -1, 100],
        ['2026-03-01T13:00:00Z', -1, 100],
        ['2034-05-01T00:00:00Z', -1, 100],
      ]),
    );
    const counted = async (query: string) => {
      const { point_count, ahead_count, future_count } = await quality(query);
      return [point_count, ahead_count, future_count];
    };
    expect(await counted('from=2026-03-01T11:00:00Z&to=now')).toEqual([0, 0, 4]);
    expect(await counted('from=2026-03-01T11:00:00Z&to=2026-03-01T12:01:00.5Z')).toEqual([1, 0, 4]);
    expect(await counted('from=2026-03-01T11:00:00Z&to=2026-03-01T13:00:00Z')).toEqual([2, 1, 4]);
    expect(await counted('from=2026-03-01T12:30:00Z&to=2035-01-01T00:00:00Z')).toEqual([2, 2, 4]);
  });

  it('reports one gap in an interval without points, and none in the future', async () => {
    const [empty, ahead] = [
      await quality('from=2026-02-01T00:00:00Z&to=2026-02-01T00:01:00Z'),
      await quality('from=2026-03-02T00:00:00Z&to=2026-03-03T00:00:00Z'),
    ];
    expect(empty).toMatchObject({
      point_count: 0,
      spacing_seconds: null,
      min_gap_seconds: 10,
      coverage_percent: 0,
      gap_count: 1,
      gaps: [{ from: '2026-02-01T00:00:00.000000Z', to: '2026-02-01T00:01:00.000000Z', seconds: 60 }],
      exclusion_count: 0,
      exclusions: [],
      null_level_percent: null,
      at_floor_percent: null,
      at_ceiling_percent: null,
      overload_percent: null,
      silence_percent: null,
      newest: null,
      newest_age_seconds: null,
    });
    expect(ahead).toMatchObject({ coverage_percent: null, gap_count: 0, gap_seconds: 0, gaps: [] });
  });

  it('finds gaps in several days: at their ends, within a minute, and for whole days', async () => {
    const missing = [
      ['2026-02-01T23:59:50.000000Z', '2026-02-02T00:00:15.000000Z'],
      ['2026-02-02T12:00:20.000000Z', '2026-02-02T12:00:35.000000Z'],
      ['2026-02-03T00:00:00.000000Z', '2026-02-04T00:01:00.000000Z'],
      ['2026-02-04T23:59:00.000000Z', '2026-02-05T00:00:00.000000Z'],
    ] as const;
    await service.sql(`insert into audio_data (time, rms_db)
      select time, -20 from generate_series('2026-02-01 22:00Z'::timestamptz, '2026-02-05 01:59:55Z', interval '5 s') as time
      where not (${missing.map(([from, to]) => `time > '${from}' and time < '${to}'`).join(' or ')})`);
    await settle();
    const expected = missing.map(([from, to]) => ({
      from,
      to,
      seconds: (Date.parse(to) - Date.parse(from)) / 1000,
    }));
    for (const [from, to] of [
      ['2026-02-01T22:00:00Z', '2026-02-05T02:00:00Z'],
      ['2026-02-01T22:33:44.4Z', '2026-02-05T00:00:01Z'],
    ])
      expect((await quality(`from=${from}&to=${to}&min_gap_seconds=15`)).gaps, from).toEqual(expected);
    const within = await quality('from=2026-02-02T00:00:08Z&to=2026-02-03T12:00:00Z&min_gap_seconds=6');
    expect(within.gaps).toEqual([
      { from: '2026-02-02T00:00:08.000000Z', to: '2026-02-02T00:00:15.000000Z', seconds: 7 },
      expected[1],
      { from: '2026-02-03T00:00:00.000000Z', to: '2026-02-03T12:00:00.000000Z', seconds: 43_200 },
    ]);
  });

  it('counts every spacing as a gap if min_gap_seconds is not longer', async () => {
    await service.sql(`insert into audio_data (time, rms_db)
      select '2026-02-01Z'::timestamptz + n * interval '2 s', -20 from generate_series(0, 5400) n`);
    await settle();
    for (const min of [0.001, 0.5, 1, 2]) {
      const found = await quality(`${THREE_HOURS}&min_gap_seconds=${min}`);
      expect(found).toMatchObject({
        gap_count: 5400,
        gap_seconds: 10_800,
        coverage_percent: 0,
        spacing_seconds: 2,
      });
      expect(found.gaps).toHaveLength(1000);
    }
  });

  it('lists the 1,000 longest gaps, and counts all', async () => {
    await service.sql(`insert into audio_data (time, rms_db)
      select '2026-02-01Z'::timestamptz + (n * 20 + case when n % 3 = 0 then 1 else 0 end) * interval '1 s', -20
      from generate_series(0, 1499) n`);
    await settle();
    const { gaps, gap_count, gap_seconds } = await quality(
      'from=2026-02-01T00:00:01Z&to=2026-02-01T08:19:40Z&min_gap_seconds=15',
    );
    expect([gap_count, gap_seconds]).toEqual([1499, 29_979]);
    expect(gaps).toHaveLength(1000);
    expect(gaps.filter(({ seconds }) => seconds === 21)).toHaveLength(499);
    expect(gaps.map(({ from }) => from)).toEqual(gaps.map(({ from }) => from).toSorted());
  });
});

describeEachEngine('Points with the time of another point', (engine) => {
  const test = openForAll(() => engine.open());
  const refresh = () => refreshRollups(test.sql, 100_000);
  const interval = { from: '2026-02-01T00:00:20.000000Z', to: '2026-02-03T23:59:58.000001Z' };

  async function expectCounted(when: string) {
    const { from, to } = interval;
    const [row] = await test.sql(
      `select (count(*) - count(distinct time))::int as n from audio_data where time >= '${from}' and time < '${to}'`,
    );
    const { repeated_count } = await readQuality(test, interval, '2026-03-01T00:00:00.000000Z');
    expect([when, repeated_count]).toEqual([when, row?.n]);
    expect(repeated_count).toBeGreaterThan(0);
  }

  it('are counted while rollups are fresh, late points wait, and points are deleted', async () => {
    await test.sql(`insert into audio_data (time, rms_db) select '2026-02-01Z'::timestamptz + n * interval '20 s'
      + case when n % 50 = 1 then interval '1 microsecond' else '0' end, -20
      from generate_series(0, 12959) n, generate_series(1, case when n % 7 = 0 then 3 else 1 end)`);
    await expectCounted('before a refresh');
    await refresh();
    await expectCounted('after it');
    await test.sql(`insert into audio_data (time, rms_db)
      select time, -30 from generate_series('2026-02-02 10:00:00Z'::timestamptz, '2026-02-02 10:10Z', '20 s') as time`);
    await expectCounted('with late points');
    await test.sql(
      "delete from audio_data where time >= '2026-02-01 05:00Z' and time < '2026-02-01 05:30:10Z'",
    );
    await expectCounted('with deleted points');
    await refresh();
    await expectCounted('after a second refresh');
  });

  it('are counted in a database of an older version, before the next refresh and after it', async ({
    skip,
  }) => {
    skip(engine.name === 'Citus', 'the older version knew no stations on Citus');
    await test.sql(`update audio_data_presence set repeated = 0;
      alter table audio_data_presence drop column repeated;
      do $$ begin execute replace(pg_get_functiondef('audio_data_refresh(int)'::regprocedure),
        ', count(*) FILTER (WHERE "time" = before)', ''); end $$`);
    await test.sql(
      "insert into audio_data (time, rms_db) values ('2026-02-01 08:00:01Z', -20), ('2026-02-01 08:00:01.00005Z', -20)",
    );
    await refresh();
    await test.sql(readFileSync(join(MIGRATIONS_FOLDER, '0010_repeated_times.sql'), 'utf8'));
    await expectCounted('before a refresh');
    await refresh();
    await expectCounted('after it');
    const [notes] = await test.sql("select count(*)::int as n from audio_data_notes where kind = 'changed'");
    expect(notes).toEqual({ n: 0 });
  });
});
