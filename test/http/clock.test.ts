// The source of the points' times in stats.quality.
import { beforeAll, expect, it } from 'vitest';
import { QualityOutput } from '../../src/contract/quality.ts';
import { describeEachEngine, openForAll } from '../engines.ts';
import { queryOf, startTestService } from '../service.ts';

/** A point every 15 s for three hours. The first hour has no period; the last hour comes from a sound file. */
const ARRANGED = `
  insert into audio_data (time, rms_db)
    select '2026-01-01T06:00:00Z'::timestamptz + n * interval '15 s', -20 from generate_series(0, 719) n;
  insert into audio_data_periods (since, weighting, clock) values ('2026-01-01T07:00:00Z', 'A', 'machine'),
    ('2026-01-01T07:30:00Z', 'C', 'machine'), ('2026-01-01T08:00:00Z', 'A', 'start')`;

describeEachEngine('The clock of stats.quality', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeAll(() => service.sql(ARRANGED));
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
