// What recorders noted: clipped windows, in total and for each part, and the source of the points' times.
import { beforeAll, expect, it } from 'vitest';
import { DaysOutput } from '../../src/operations/stats/days/contract.ts';
import { AgainstLimitsOutput } from '../../src/operations/stats/limits/contract.ts';
import { QualityOutput } from '../../src/operations/stats/quality/contract.ts';
import { SummaryOutput } from '../../src/operations/stats/summary/contract.ts';
import { describeOnWire, openForAll } from '../engines.ts';
import { queryOf, startTestService } from '../service.ts';

/** 4 points per minute from 06:00 to 08:00. The recorder counts overload from 06:30 on. */
const ARRANGED = `
  insert into audio_data (time, rms_db)
    select '2026-01-01T06:00:00Z'::timestamptz + n * interval '15 s', -20 from generate_series(0, 479) n;
  insert into audio_data_periods (since, weighting, reference_db, counts_overload)
    values ('2026-01-01T06:00:00Z', 'A', 85, null), ('2026-01-01T06:30:00Z', 'A', 85, true);
  insert into audio_data_overload values ('2026-01-01T06:45:00Z', 3), ('2026-01-01T07:10:00Z', 1), ('2026-01-01T07:11:00Z', 4)`;

const near = (share: number) => expect.closeTo(100 * share, 9);

describeOnWire('overload_percent', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeAll(() => service.sql(ARRANGED));
  const interval = (from: string, to: string) => `from=2026-01-01T${from}:00Z&to=2026-01-01T${to}:00Z`;
  const summary = queryOf(service, '/stats/summary', SummaryOutput);
  const quality = queryOf(service, '/stats/quality', QualityOutput);
  const days = queryOf(service, '/stats/days', DaysOutput);
  const limits = queryOf(service, '/stats/limits', AgainstLimitsOutput);

  it.each([
    ['06:00', '08:00', 8 / 360],
    ['06:00', '06:30', null],
    ['06:30', '06:45', 0],
    ['06:45', '06:46', 0.75],
    ['07:11', '07:12', 1],
    ['08:00', '09:00', null],
  ])('from %s to %s covers only points whose recorder counts overload', async (from, to, expected) => {
    expect((await summary(interval(from, to))).overload_percent).toEqual(
      expected === null ? null : near(expected),
    );
    expect((await quality(interval(from, to))).overload_percent).toEqual(
      expected === null ? null : near(expected),
    );
  });

  it('within a minute equals that of the whole minute', async () => {
    const interval = 'from=2026-01-01T06:45:30Z&to=2026-01-01T06:45:50Z';
    expect((await summary(interval)).overload_percent).toBe(75);
  });

  it('is also given for each day, and for each part of limits', async () => {
    const found = await days(`${interval('06:00', '08:00')}&day_start=7`);
    expect(found.days.map(({ overload_percent }) => overload_percent)).toEqual([2.5, near(5 / 240)]);
    expect([found.overall, found.whole_days].map((each) => each.overload_percent)).toEqual([
      near(8 / 360),
      null,
    ]);
    const against = await limits(`${interval('06:00', '08:00')}&limits=06-07=50,07-10=60`);
    expect(against.limits.map(({ overload_percent }) => overload_percent)).toEqual([2.5, near(5 / 240)]);
    expect(against.parts.map(({ overload_percent }) => overload_percent)).toEqual([2.5, near(5 / 240)]);
  });
});

/** A point every 15 s for three hours. The first hour has no period; the last hour comes from a sound file. */
const CLOCKS = `
  insert into audio_data (time, rms_db)
    select '2026-01-01T06:00:00Z'::timestamptz + n * interval '15 s', -20 from generate_series(0, 719) n;
  insert into audio_data_periods (since, weighting, clock) values ('2026-01-01T07:00:00Z', 'A', 'machine'),
    ('2026-01-01T07:30:00Z', 'C', 'machine'), ('2026-01-01T08:00:00Z', 'A', 'start')`;

describeOnWire('The clock of stats.quality', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeAll(() => service.sql(CLOCKS));
  const quality = queryOf(service, '/stats/quality', QualityOutput);

  it.each([
    ['06:00', '07:00', null],
    ['06:30', '07:30', null],
    ['07:00', '07:10', 'machine'],
    ['07:00', '07:30', 'machine'],
    ['07:00', '08:00', 'machine'],
    ['07:00', '08:30', null],
    ['08:00', '09:00', 'start'],
    ['09:00', '10:00', null],
  ])('from %s to %s comes from its periods with points', async (from, to, clock) => {
    const found = await quality(`from=2026-01-01T${from}:00Z&to=2026-01-01T${to}:00Z`);
    expect(found.clock).toBe(clock);
  });
});
