import { expect, it } from 'vitest';
import { describeEachEngine, openForAll } from '../engines.ts';
import { startTestService } from '../service.ts';

describeEachEngine('export.csv', (engine) => {
  const service = openForAll(() => startTestService(engine));

  it('streams 300,000 points whole, over REST and to the typed client alike', async () => {
    await service.sql(`insert into audio_data (time, rms_db, frequency_hz)
      select '2025-06-01Z'::timestamptz + n * interval '10 ms', -(n % 500) / 10.0, 100 + n % 7900 from generate_series(0, 299999) n`);
    const interval = { from: '2025-06-01T00:00:00Z', to: '2025-07-01T00:00:00Z' };
    const { body } = await service.get(`/export/csv?from=${interval.from}&to=${interval.to}`);
    const lines = body.split('\n');
    expect(lines).toHaveLength(300_002);
    expect(lines[300_000]).toBe('2025-06-01T00:49:59.990000Z,-49.9,7799,false');
    expect(lines.slice(1, -1).toSorted().join() === lines.slice(1, -1).join()).toBe(true);
    let text = '';
    for await (const piece of await service.client.export.csv.query(interval)) text += piece;
    expect(text === body).toBe(true);
  });
});
