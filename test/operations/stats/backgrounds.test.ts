import { beforeEach, expect, it } from 'vitest';
import { EventSeriesOutput } from '../../../src/operations/events/series/contract.ts';
import { describeOnWire, openForAll } from '../../engines.ts';
import { queryOf, startTestService } from '../../service.ts';

describeOnWire('The background of a point', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeEach(async () => {
    await service.sql('truncate audio_data');
    await service.sql('truncate audio_data_periods');
  });

  const series = queryOf(service, '/events/series', EventSeriesOutput);
  const HALF_HOURS = 'bucket=30m&above_background=10';
  /** The backgrounds of the half hours from 10:00 to 12:00 of the last day, dB. */
  async function backgrounds(query = 'from=2026-02-28T10:00:00Z&to=2026-02-28T12:00:00Z') {
    const { buckets } = await series(`${HALF_HOURS}&${query}`);
    return buckets.map(({ threshold_db }) => (threshold_db === null ? null : threshold_db - 10));
  }
  /** A level every minute. */
  const store = (from: string, to: string, level: number) =>
    service.sql(`insert into audio_data (time, rms_db)
      select time, ${level} from generate_series('${from}'::timestamptz, '${to}', '1 min') as time where time < '${to}'`);

  it('does not follow a long sound if the same half hours of earlier days were measured', async () => {
    await store('2026-02-28T09:00Z', '2026-02-28T10:00Z', -40);
    await store('2026-02-28T10:00Z', '2026-02-28T12:00Z', -20);
    expect(await backgrounds()).toEqual([-40, -20, -20, -20]);
    await store('2026-02-20T10:00Z', '2026-02-20T12:00Z', -49); // eight days before
    await store('2026-02-22T10:00Z', '2026-02-22T11:00Z', -45);
    await store('2026-02-24T10:00Z', '2026-02-24T10:30Z', -10);
    await store('2026-02-26T10:00Z', '2026-02-26T11:30Z', -39.7);
    await store('2026-02-27T11:00Z', '2026-02-27T11:30Z', -38);
    expect(await backgrounds()).toEqual([-40, -42.35, -38.85, -20]);
    expect(await backgrounds('from=2026-02-28T11:07:00Z&to=2026-02-28T11:08:00Z')).toEqual([-38.85]);
    const { buckets, event_count, peak_db } = await series(
      `${HALF_HOURS}&from=2026-02-28T09:00:00Z&to=2026-02-28T12:00:00Z&hold_seconds=120`,
    );
    expect([event_count, peak_db, buckets[2]?.event_count]).toEqual([1, -20, 1]);
  });

  it('is unknown if nothing was measured before, and that of earlier days after a gap', async () => {
    expect(await backgrounds()).toEqual([null, null, null, null]);
    await store('2026-02-21T10:00Z', '2026-02-21T10:30Z', -45);
    expect(await backgrounds()).toEqual([-45, null, null, null]);
  });

  it('does not compare levels with those of a scale that no longer applies', async () => {
    await store('2026-02-26T10:00Z', '2026-02-26T12:00Z', -49);
    await store('2026-02-27T10:00Z', '2026-02-27T12:00Z', -45);
    await store('2026-02-28T09:30Z', '2026-02-28T12:00Z', -30);
    const period = (since: string, reference_db: number) =>
      service.sql(`insert into audio_data_periods (since, weighting, reference_db)
        values ('${since}', 'A', ${reference_db})`);
    await period('2026-02-20T00:00Z', 94);
    expect(await backgrounds()).toEqual([-47, -47, -47, -47]);
    await period('2026-02-27T00:00Z', 100);
    expect(await backgrounds()).toEqual([-45, -45, -45, -45]);
    await period('2026-02-28T10:45Z', 106);
    expect(await backgrounds()).toEqual([-45, -45, -30, -30]);
  });
});
