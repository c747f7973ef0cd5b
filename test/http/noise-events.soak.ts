import { expect, it } from 'vitest';
import { describeOnWire, openForAll } from '../engines.ts';
import { startTestService } from '../service.ts';

describeOnWire('events.list', (engine) => {
  const service = openForAll(() => startTestService(engine));

  it('names the parameter in the refusal of a page that would read too many points', async () => {
    await service.sql(`insert into audio_data (time, rms_db)
      select '2026-03-01T12:00:00Z'::timestamptz - n * interval '1 ms', -10 from generate_series(1, 400002) n`);
    const { status, body } = await service.get('/events/list?threshold=-20');
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ parameter: 'threshold', detail: expect.stringContaining('400000') }]);
    expect((await service.get('/events/list?threshold=-9')).status).toBe(200);
  });
});
