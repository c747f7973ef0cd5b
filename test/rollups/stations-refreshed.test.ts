// One loop keeps the rollups of every station fresh.
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { startRefreshing } from '../../src/rollups/refresh-rollups.ts';
import { describeEmbeddedAndOnWire, openForAll } from '../engines.ts';
import { makeStation, placed } from '../stations.ts';

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

  it('asks the server that holds a station, also after a move', async () => {
    const rounds: ((signal: AbortSignal) => Promise<number>)[] = [];
    vi.resetModules();
    vi.doMock('../../src/loop.ts', () => ({ startLoop: (work: (typeof rounds)[0]) => rounds.push(work) }));
    onTestFinished(() => {
      vi.doUnmock('../../src/loop.ts');
      vi.resetModules(); // the next test file shares the modules
    });
    const refresh = await import('../../src/rollups/refresh-rollups.ts');
    await makeStation(test, 'pier');
    const servers = { pier: 'one' };
    const asked = new Set<string | undefined>();
    const query: Database['query'] = (statement, ...rest) => {
      asked.add(statement.server);
      return test.db.query(statement, ...rest);
    };
    refresh.startRefreshing(placed({ ...test.db, query }, servers), { info() {}, warn() {} });
    for (const server of ['one', 'two']) {
      servers.pier = server;
      asked.clear();
      await rounds[0]?.(new AbortController().signal);
      expect([...asked]).toEqual([undefined, server]);
    }
  });
});
