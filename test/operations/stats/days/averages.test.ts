import { beforeAll, expect, it } from 'vitest';
import { DaysOutput } from '../../../../src/operations/stats/days/contract.ts';
import { describeEachEngine, openForAll } from '../../../engines.ts';
import { queryOf, startTestService } from '../../../service.ts';

const LEVELS = ['leq_db', 'lday_db', 'levening_db', 'lnight_db', 'lden_db', 'lden_low_db'] as const;

describeEachEngine('stats.days by month and by year', (engine) => {
  const service = openForAll(() => startTestService(engine));
  const days = queryOf(service, '/stats/days', DaysOutput);

  beforeAll(async () => {
    // a point a minute, three from 8 to 15 October; gaps of hours, of which short ones leave the day whole
    await service.sql(`insert into audio_data (time, rms_db)
      select time, -20 - 15 * random() - extract(doy from time) % 11
      from generate_series('2025-10-02Z'::timestamptz, '2026-01-09Z', interval '1 min') as time,
        generate_series(1, case when time > '2025-10-08Z' and time < '2025-10-15Z' then 3 else 1 end)
      where not (time > '2025-11-04Z' and time < '2025-12-22Z')
        and not (extract(day from time) % 9 = 0 and extract(hour from time) = 12)
        and not (extract(day from time) % 13 = 0 and extract(hour from time) < 3)`);
    await service.sql(`insert into audio_data_exclusions (since, until, reason)
      values ('2025-10-20T10:00Z', '2025-10-21T10:00Z', 'roadworks')`);
  });

  it.each([
    ['month', 'Europe/Vienna', 7, [31, 30, 31, 31]],
    ['month', 'Asia/Kathmandu', 6, [31, 30, 31, 31]],
    ['month', 'Australia/Lord_Howe', 7, [31, 30, 31, 31]], // its clocks change by half an hour
    ['year', 'America/St_Johns', 0, [365, 365]],
    ['year', 'UTC', 7, [365, 365]],
  ])('by %s in %s, each whole day has the same weight', async (by, zone, start, lengths) => {
    const query = `from=2025-10-01T15:00:00Z&to=2026-01-08T12:00:00Z&time_zone=${zone}&day_start=${start}`;
    const { days: all, overall } = await days(query);
    const { days: spans, ...rest } = await days(`${query}&by=${by}`);
    expect(rest).toMatchObject({ by, overall });
    const key = ({ date }: { date: string }) => date.slice(0, by === 'year' ? 4 : 7);
    const whole = all.filter(({ days_whole }) => days_whole === 1);
    expect(whole.length).toBe(rest.whole_days.days);
    expect(whole.length).toBeGreaterThan(35);
    expect(spans.map(({ date, days_total }) => [date, days_total])).toEqual(
      [...new Set(all.map(key))].map((each, at) => [`${each}-01-01`.slice(0, 10), lengths[at]]),
    );
    for (const span of spans) {
      const mine = whole.filter((day) => key(day) === key(span));
      const sum = (of: 'point_count' | 'night_count') => mine.reduce((sum, day) => sum + day[of], 0);
      expect(span).toMatchObject({
        days_whole: mine.length,
        point_count: sum('point_count'),
        night_count: sum('night_count'),
      });
      for (const name of LEVELS) {
        const energies = mine.map((day) => 10 ** ((day[name] ?? Number.NaN) / 10));
        const mean = 10 * Math.log10(energies.reduce((sum, energy) => sum + energy, 0) / mine.length);
        expect([name, span[name]]).toEqual([name, mine.length > 0 ? expect.closeTo(mean, 9) : null]);
      }
    }
    const inside = spans.slice(1).map(({ from }) => from);
    expect(spans.slice(0, -1).map(({ to }) => to)).toEqual(inside);
    expect(all.map(({ from }) => from)).toEqual(expect.arrayContaining(inside));
  });
});
