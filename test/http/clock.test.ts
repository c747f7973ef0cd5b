// The source of the points' times, and the largest correction of the clock, in stats.quality.
import { beforeAll, expect, it } from 'vitest';
import { QualityOutput } from '../../src/contract/quality.ts';
import { describeEachEngine, openForAll } from '../engines.ts';
import { queryOf, startTestService } from '../service.ts';

/** A point every 15 s for three hours. The first hour has no period; the last hour comes from a sound file. */
const ARRANGED = `
  insert into audio_data (time, rms_db)
    select '2026-01-01T06:00:00Z'::timestamptz + n * interval '15 s', -20 from generate_series(0, 719) n;
  insert into audio_data_periods (since, weighting, clock) values ('2026-01-01T07:00:00Z', 'A', 'machine'),
    ('2026-01-01T07:30:00Z', 'C', 'machine'), ('2026-01-01T08:00:00Z', 'A', 'start');
  insert into audio_data_clock values
    ('2026-01-01T07:10:00Z', 1.5), ('2026-01-01T07:20:00Z', -20.25), ('2026-01-01T07:40:00Z', 3000)`;

describeEachEngine('The clock of stats.quality', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeAll(() => service.sql(ARRANGED));
  const quality = queryOf(service, '/stats/quality', QualityOutput);

  it.each([
    ['06:00', '07:00', null, null],
    ['06:30', '07:30', null, null],
    ['07:00', '07:10', 'machine', 0],
    ['07:00', '07:11', 'machine', 1.5],
    ['07:00', '07:30', 'machine', -20.25],
    ['07:00', '08:00', 'machine', 3000],
    ['07:20:40', '07:20:50', 'machine', -20.25],
    ['07:21', '07:30', 'machine', 0],
    ['07:00', '08:30', null, null],
    ['08:00', '09:00', 'start', null],
    ['09:00', '10:00', null, null],
  ])('from %s to %s comes from its periods with points', async (from, to, clock, largest_correction_ms) => {
    const time = (text: string) => `2026-01-01T${text.length === 5 ? `${text}:00` : text}Z`;
    const found = await quality(`from=${time(from)}&to=${time(to)}`);
    expect([found.clock, found.largest_correction_ms]).toEqual([clock, largest_correction_ms]);
  });
});
