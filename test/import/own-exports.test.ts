// Files of the service's own export formats come back as they were.
import { beforeAll, expect, it } from 'vitest';
import { describeOnWire, openForAll } from '../engines.ts';
import { send } from '../http/raw.ts';
import { createRun, file, importCsv, messageOf } from '../recorder/run.ts';
import { insertPoints, startTestService } from '../service.ts';

const DAYS = 'from=2026-01-01T00:00:00Z&to=2026-01-03T00:00:00Z';
const PERIOD = `insert into audio_data_periods (since, weighting, reference_db) values ('2025-12-01Z', 'A', 95)`;

describeOnWire('A file of the service', (engine) => {
  const service = openForAll(() => startTestService(engine));
  beforeAll(async () => {
    await service.sql(
      insertPoints([
        ['2026-01-01T00:00:00Z', null, null, true],
        ['2026-01-01T00:00:00.000001Z', -12.34, 440],
        ['2026-01-01T00:00:01Z', -1e-5, null],
        ['2026-01-01T00:00:02Z', -50, 8000],
      ]),
    );
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz, is_silence)
      select '2026-01-01 00:00:03Z'::timestamptz + n * interval '0.123457 s', (-50 * random())::real,
        nullif(100 + n % 7900, 105), n % 3 = 0 from generate_series(0, 3000) n`);
    await service.sql(PERIOD);
  });
  const exported = async (more: string) =>
    (await send(`${service.url}/api/v1/export/csv?${DAYS}&${more}`, {}, 'GET')).body;
  const back = (bytes: Buffer, ...args: string[]) =>
    messageOf(importCsv([file(bytes), ...args], createRun({ onto: service.db }).io));

  it.each(['csv', 'csv-semicolon', 'ndjson', 'parquet'])('as %s comes back byte for byte', async (format) => {
    for (const levels of ['stored', 'absolute']) {
      const before = await exported(`format=${format}&levels=${levels}`);
      const csv = await exported('format=csv');
      await service.sql('truncate audio_data');
      expect(await back(before)).toBe('no error');
      expect((await exported(`format=${format}&levels=${levels}`)).equals(before)).toBe(true);
      // the 32 bits of a level in Parquet hold fewer digits of its sum with the reference
      const isRounded = format === 'parquet' && levels === 'absolute';
      expect(isRounded || (await exported('format=csv')).equals(csv)).toBe(true);
    }
  });

  it('with sound pressure levels needs the reference of the station, or --reference-db', async () => {
    const [before, csv] = [await exported('levels=absolute'), await exported('format=csv')];
    await service.sql('truncate audio_data, audio_data_periods');
    const message = await back(before);
    for (const fact of ['levels=absolute', '2026-01-01T00:00:00.000001Z', '--reference-db'])
      expect(message).toContain(fact);
    expect(await back(before, '--reference-db', '95', '--weighting', 'A')).toBe('no error');
    expect((await exported('levels=absolute')).equals(before)).toBe(true);
    expect((await exported('format=csv')).equals(csv)).toBe(true);
  });
});
