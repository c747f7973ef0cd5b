import { beforeAll, describe, expect, it } from 'vitest';
import { startSmallService } from '../client/embedded-service.ts';
import { openForAll } from '../engines.ts';

describe('points', () => {
  const service = openForAll(() => startSmallService());
  beforeAll(async () => {
    await service.sql(
      `insert into audio_data (time, rms_db) values ('2026-02-01 00:00:01Z', -1e-5), ('2026-02-01Z', '-0')`,
    );
  });
  const point = { frequency_hz: null, is_silence: false };
  const points = [
    { ...point, time: '2026-02-01T00:00:01.000000Z', rms_db: -0.00001 },
    { ...point, time: '2026-02-01T00:00:00.000000Z', rms_db: 0 },
  ];

  it('on REST are the text of the database', async () => {
    const response = await fetch(`${service.url}/api/v1/events/loud?from=2026-02-01T00:00:00Z`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const rest = '"frequency_hz":null,"is_silence":false}';
    expect(await response.text()).toBe(
      `{"threshold":-10,"from":"2026-02-01T00:00:00.000000Z","to":null,"next_cursor":null,"points":[` +
        `{"time":"2026-02-01T00:00:01.000000Z","rms_db":-1e-05,${rest},` +
        `{"time":"2026-02-01T00:00:00.000000Z","rms_db":0,${rest}]}`,
    );
  });

  it('are the same in a batch with a repeated query and a refused one', async () => {
    const query = () => service.client.audio.latest.query({ limit: 2 });
    const refused = service.client.audio.latest.query({ limit: 0 }).catch((error: Error) => error);
    expect(await Promise.all([query(), query()])).toEqual([{ points }, { points }]);
    expect(await refused).toBeInstanceOf(Error);
  });
});
