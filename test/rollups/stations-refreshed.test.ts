// One loop keeps the rollups of every station fresh.
import { expect, it } from 'vitest';
import { startRefreshing } from '../../src/rollups/refresh-rollups.ts';
import { describeEmbeddedAndOnWire, openForAll } from '../engines.ts';
import { makeStation } from '../stations.ts';

describeEmbeddedAndOnWire('The refresh loop', (engine) => {
  const test = openForAll(() => engine.open());

  it('refreshes all stations, even if one of them fails', async () => {
    for (const name of ['broken', 'garden', 'street']) await makeStation(test, name);
    for (const name of ['garden', 'street'])
      await test.sql(`insert into ${name}.audio_data (time, rms_db) values ('2026-01-01Z', -20)`);
    await test.sql('alter table broken.audio_data_notes rename to gone');
    const warned: string[] = [];
    const log = { info() {}, warn: (_: object, message: string) => void warned.push(message) };
    const { stop } = startRefreshing(test.db, log);
    const counted = async (name: string) =>
      (await test.sql(`select count(*)::int as n from ${name}.audio_data_totals where seconds = 86400`))[0].n;
    await expect.poll(() => Promise.all(['garden', 'street'].map(counted))).toEqual([1, 1]);
    await stop();
    expect(warned).toEqual(['Cannot refresh the rollups of broken; retrying every minute']);
  });
});
