// The service behind a real PgBouncer.
import { expect, it } from 'vitest';
import { migrate } from '../../src/cli/migrate.ts';
import { connect, ENDLESS, statement } from '../engines.ts';
import { answer, describeEachMode, mixRequests, PATHS } from './pooled.ts';

describeEachMode((pooled) => {
  it('answers mixed requests of several clients as without the pooler', () =>
    mixRequests(pooled, PATHS.length));

  it('queries under its own settings, and leaves none behind', async () => {
    const { db } = await pooled.service(pooled.tight.through(pooled.url));
    const other = await connect(pooled.tight.through(pooled.url));
    const names = [
      'timezone',
      'datestyle',
      'extra_float_digits',
      'jit',
      'plan_cache_mode',
      'statement_timeout',
    ];
    const show = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`;
    const before = (await other.query(show)).rows;
    expect(await db.query(statement(show))).toEqual([
      {
        timezone: 'UTC',
        datestyle: 'ISO, MDY',
        extra_float_digits: '1',
        jit: 'off',
        plan_cache_mode: 'force_custom_plan',
        statement_timeout: '20s',
      },
    ]);
    for await (const _ of db.copyOut?.(statement('select 1'), {}) ?? []);
    expect((await other.query(show)).rows).toEqual(before);
    expect((await other.query('select from pg_prepared_statements')).rows).toEqual([]);
    await other.end();
  });

  it('ignores settings that another client left in the session', async () => {
    const { app } = await pooled.service(pooled.tight.through(pooled.url));
    const expected = await answer(pooled.direct, '/audio/latest?limit=50');
    expect(await answer(app, '/audio/latest?limit=50')).toEqual(expected);
    const other = await connect(pooled.tight.through(pooled.url));
    await other.query("set extra_float_digits = -3; set timezone = 'Asia/Tokyo'; set datestyle = 'SQL, DMY'");
    expect(await answer(app, '/audio/latest?limit=50')).toEqual(expected);
    expect(await answer(app, '/export/csv?from=now-5m&to=now')).toEqual(
      await answer(pooled.direct, '/export/csv?from=now-5m&to=now'),
    );
    await other.query('reset all');
    await other.end();
  });

  it('refuses a parameter of the address with 503, and logs the fix', async () => {
    const { db } = await pooled.service(
      `${pooled.pooler.through(pooled.url)}?options=${encodeURIComponent('-c jit=off')}`,
    );
    await expect(db.query(statement('select 1'))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { message: expect.stringContaining('ignore_startup_parameters'), cause: { code: '08P01' } },
    });
  });

  it('cannot be used to migrate', async () => {
    await expect(migrate({ url: pooled.pooler.through(pooled.url) })).rejects.toThrow(
      /MIGRATION_DATABASE_URL/,
    );
  });

  it('ends slow queries with 504, and limits no other client', async () => {
    const { db } = await pooled.service(pooled.tight.through(pooled.url), { queryTimeoutMs: 300 });
    await expect(db.query(ENDLESS)).rejects.toMatchObject({
      code: 'GATEWAY_TIMEOUT',
      cause: { code: '57014' },
    });
    const other = await connect(pooled.tight.through(pooled.url));
    expect((await other.query('select pg_sleep(0.5), 1 as one')).rows[0].one).toBe(1);
    await other.end();
    expect(await db.query(statement('select 1 as one'))).toEqual([{ one: 1 }]);
  });

  it('cancels queries whose caller has left', async () => {
    const { db } = await pooled.service(pooled.tight.through(pooled.url));
    const watcher = await connect(pooled.url);
    const running = async () =>
      (
        await watcher.query(`select from pg_stat_activity where datname = current_database()
            and pid <> pg_backend_pid() and query like '%generate_series(1, 1e12%' and state <> 'idle'`)
      ).rows.length;
    for (const begin of [
      (signal: AbortSignal) => db.query(ENDLESS, {}, signal),
      async (signal: AbortSignal) => {
        for await (const _ of db.copyOut?.(ENDLESS, {}, signal) ?? []);
      },
    ]) {
      const leaving = new AbortController();
      const pending = begin(leaving.signal).then(
        () => 'answered',
        () => 'ended',
      );
      await expect.poll(running).toBe(1);
      leaving.abort();
      expect(await pending).toBe('ended');
      await expect.poll(running).toBe(0);
    }
    expect(await db.query(statement('select 1 as one'))).toEqual([{ one: 1 }]);
    await watcher.end();
  });
});
