// The undocumented APIs of pg and PGlite that src/database/internals uses. These tests fail if a version moves one of them.
import fs, { readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { cancelStatement } from '../../src/database/cancel-statement.ts';
import { isSessionLost } from '../../src/database/embedded/stopped.ts';
import { backendKeyOf, LastingClient, runBefore } from '../../src/database/internals/pg.ts';
import { SYNCING, SyncedFiles, watchFaults } from '../../src/database/internals/pglite.ts';
import { needs } from '../needs.ts';
import { dataFolder } from '../process.ts';

const server = inject('postgres');
const moved = (part: string) => `pg has moved ${part}: see src/database/internals/pg.ts`;

async function connected(): Promise<LastingClient> {
  const client = new LastingClient({ connectionString: server?.url });
  onTestFinished(() => client.breakOff());
  await client.connect();
  return client;
}

describe('Beyond the documentation of pg, the service relies on', needs('PostgreSQL', server), () => {
  it('Client#processID and Client#secretKey, to cancel a statement', async () => {
    const client = await connected();
    const { rows } = await client.query('select pg_backend_pid() as process');
    expect(backendKeyOf(client), moved('Client#processID or Client#secretKey')).toEqual({
      processId: rows[0].process,
      secretKey: expect.any(Number),
    });
    const pending = client.query('select pg_sleep(60)');
    const ended = expect(pending, moved('Client#secretKey')).rejects.toMatchObject({
      code: '57014',
    });
    await cancelStatement(client, pending);
    await ended;
    expect(backendKeyOf(new LastingClient())).toBeUndefined();
  });

  it('Connection#parse, #bind and #execute, to run a statement in the transaction of the next one', async () => {
    const client = await connected();
    const limit = "select current_setting('statement_timeout') as limit";
    const set = "select where set_config('statement_timeout', '1234ms', true) is null";
    const limits = await new Promise((resolve, reject) => {
      const config: pg.QueryConfig & { queryMode: string } = { text: limit, queryMode: 'extended' };
      const query = new pg.Query(config, (error, results) =>
        error ? reject(error) : resolve([results].flat().at(-1)?.rows),
      );
      client.query(runBefore(set, query));
    });
    const message = moved('Query#submit or a method of Connection');
    expect(limits, message).toEqual([{ limit: '1234ms' }]);
    expect((await client.query(limit)).rows, message).toEqual([{ limit: '0' }]);
  });

  it('Client#connection and its stream, to destroy a hanging connection', async () => {
    const client = await connected();
    const pending = client.query('select pg_sleep(60)');
    client.breakOff();
    await expect(pending, moved('Connection#stream')).rejects.toThrow('Connection terminated unexpectedly');
  });
});

describe('Beyond the documentation of PGlite, the service relies on', () => {
  const moved = 'PGlite syncs differently: see src/database/internals/pglite.ts';
  /** Counts the syncs from here on, and can make them fail. */
  function spyOnSyncs() {
    const syncs = vi.spyOn(fs, 'fsyncSync');
    syncBuiltinESMExports();
    onTestFinished(() => {
      syncs.mockRestore();
      syncBuiltinESMExports();
    });
    return syncs;
  }
  const open = () => PGlite.create({ fs: new SyncedFiles(join(dataFolder(), 'pg')), startParams: SYNCING });
  const STORE = 'insert into audio_data values (now(), -1, 440, false)';

  it('NODEFS.stream_ops and defaultStartParams, to sync each commit and each checkpoint', async () => {
    const syncs = spyOnSyncs();
    const pglite = await open();
    onTestFinished(() => pglite.close());
    const settings = `select name, setting from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method') order by name`;
    expect((await pglite.query(settings)).rows, moved).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'synchronous_commit', setting: 'on' },
      { name: 'wal_sync_method', setting: 'fsync' },
    ]);
    for (let commits = 1; commits <= 3; commits++) {
      syncs.mockClear();
      await pglite.query(STORE);
      expect(syncs.mock.calls.length, moved).toBeGreaterThan(0);
    }
    syncs.mockClear();
    await pglite.query('select count(*) from audio_data');
    expect(syncs).not.toHaveBeenCalled();
    await pglite.exec('checkpoint');
    expect(syncs.mock.calls.length, moved).toBeGreaterThan(3); // the log, the table, its indexes, the control file
  });

  it('Module._PostgresMainLoopOnce, to detect faults that return no rows', async () => {
    const pglite = await open();
    const faults: unknown[] = [];
    watchFaults(pglite, (fault) => faults.push(fault));
    await expect(pglite.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await expect(pglite.query('select 1 from')).rejects.toMatchObject({ code: '42601' });
    await pglite.query(STORE);
    expect(faults, 'PGlite has moved the status: see src/database/internals/pglite.ts').toEqual([]);
    await pglite.query("copy (select 1) to program 'cat'"); // throws from within
    expect(faults, 'PGlite has moved its loop: see src/database/internals/pglite.ts').toEqual([
      expect.any(Error),
    ]);
  });

  it('the return value of a sync, which reports a failure to PostgreSQL', async () => {
    const syncs = spyOnSyncs();
    const pglite = await open();
    syncs.mockImplementation(() => {
      throw Object.assign(new Error('the disk is gone'), { code: 'EIO' });
    });
    const error = await pglite.query(STORE).catch((error) => error);
    expect(error, moved).toMatchObject({ severity: 'PANIC', code: '58030' });
    expect(isSessionLost(error)).toBe(true);
  });
});

it('Only src/database/internals uses undocumented APIs', () => {
  const src = join(import.meta.dirname, '../../src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const inside =
    /\bprocessID\b|attachListeners|\.connection\.|pg\.Connection\b|listeners\('data'\)|NODEFS|MainLoop/;
  const users = files.filter((file) => inside.test(readFileSync(join(src, file), 'utf8')));
  expect(users.map((file) => file.replace(/[^/]*$/, ''))).toEqual(users.map(() => 'database/internals/'));
  expect(users).not.toEqual([]);
});
