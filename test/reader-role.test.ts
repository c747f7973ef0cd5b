// The service's role can only read, whichever role ran the migration.
import { expect, it } from 'vitest';
import { arrangements } from './database/arrangements.ts';
import { type connect, describeEachServer } from './engines.ts';

const { closers, empty, session } = arrangements();

const WRITES = [
  `insert into audio_data values (now(), -1, 440, false)`,
  'update audio_data set rms_db = -3',
  'delete from audio_data',
  'truncate audio_data',
  'drop table audio_data',
  'lock table audio_data',
  'select from audio_data for update',
  'alter table audio_data add column more int',
  'delete from drizzle.__drizzle_migrations',
  `select nextval('drizzle.__drizzle_migrations_id_seq')`,
  `select setval('drizzle.__drizzle_migrations_id_seq', 1)`,
  'create table mine (a int)',
  'create table drizzle.mine (a int)',
  'create temp table mine (a int)',
  'create temp view mine as select 1',
  'create schema mine',
  'create extension hstore',
  'create role mine',
  'set role postgres',
  `create function mine() returns int language sql as 'select 1'`,
  'select lo_create(0)',
  'select lo_creat(-1)',
  `select lo_from_bytea(0, 'x')`,
  `select pg_logical_emit_message(false, 'a', repeat('b', 1000))`,
  `select pg_logical_emit_message(true, 'a', 'b'::bytea)`,
  `select lo_import('/etc/passwd')`,
  `select pg_read_file('/etc/passwd')`,
  `copy audio_data from '/etc/passwd'`,
  `copy audio_data to '/tmp/mine'`,
  `copy audio_data to program 'cat'`,
  'set session_replication_role = replica',
];
const TIMESCALE_WRITES = [
  'select audio_data_await_refresh()', // a trigger function, which runs as the owner
  `select add_job('pg_sleep', '1h')`,
  'select delete_job(job_id) from timescaledb_information.jobs where proc_name like $$policy%$$',
  `select alter_job(job_id, scheduled => false) from timescaledb_information.jobs where proc_name like 'policy%'`,
  `select add_retention_policy('audio_data', interval '1s', if_not_exists => true)`,
  `select drop_chunks('audio_data', now())`,
  `call refresh_continuous_aggregate('audio_data_1min', null, null)`,
  'delete from _timescaledb_config.bgw_job',
  'delete from _timescaledb_catalog.continuous_aggs_watermark',
  'select _timescaledb_functions.stop_background_workers()',
];
/** All granted and revoked rights. */
const RIGHTS = `
  select datacl::text as acl, datname as name from pg_database where datname = current_database()
  union all select nspacl::text, nspname from pg_namespace
  union all select proacl::text, oid::regprocedure::text from pg_proc where proacl is not null
  union all select relacl::text, oid::regclass::text from pg_class where relacl is not null
  order by 1, 2`;

describeEachServer('The reader', (engine, server) => {
  const writes = [...WRITES, ...(engine.name === 'TimescaleDB' ? TIMESCALE_WRITES : [])];

  async function arranged() {
    const database = await empty(server);
    const { name, owner: superuser, logged, details, run } = database;
    const role = `Reader "${name}"`;
    const mover = await database.addRole(`Owner "${name}"`);
    const { url: readerUrl } = await database.addRole(role);
    closers.push(() =>
      superuser.query(
        `alter database ${name} owner to postgres; alter schema public owner to pg_database_owner`,
      ),
    );
    // as in a database that an older PostgreSQL created
    await superuser.query('grant create on schema public to public');
    if (engine.name === 'TimescaleDB') await superuser.query('create extension if not exists timescaledb');
    /** Migrates. @returns the lines of its log about rights */
    const migrated = async (url = database.url) => {
      logged.length = 0;
      details.length = 0;
      await run({ url, readerRole: role });
      return logged.filter((line) => /PUBLIC|everyone can/.test(line));
    };
    return { ...database, superuser, role, mover, readerUrl, migrated };
  }

  async function passes(reader: Awaited<ReturnType<typeof connect>>): Promise<string[]> {
    const passed: string[] = [];
    for (const write of writes)
      await reader
        .query(`begin; ${write}`)
        .then(
          () => passed.push(write),
          ({ code, message }) => code === '42501' || passed.push(`${write}: ${code} ${message}`),
        )
        .finally(() => reader.query('rollback'));
    return passed;
  }

  it('can only read after a superuser migrated, and the log says so once', async () => {
    const { rows, migrated, readerUrl, role } = await arranged();
    const said = await migrated();
    expect(said).toEqual([expect.stringMatching(/^info Revoked from PUBLIC, and so from Reader .*: /)]);
    for (const right of ['temporary on database', 'create on schema public', 'lo_create(oid)'])
      expect(said[0]).toContain(right);
    expect(said[0]).toContain(role);
    const reader = await session(readerUrl);
    expect(await passes(reader)).toEqual([]);
    await reader.query('select from audio_data_1min'); // the service does not read it
    const before = await rows(RIGHTS);
    expect(await migrated()).toEqual([]);
    expect(await rows(RIGHTS)).toEqual(before);
  });

  it('can only read after the owner migrated and a superuser ran what the log says', async () => {
    const { rows, superuser, migrated, details, readerUrl, mover, name } = await arranged();
    await superuser.query(`alter database ${name} owner to ${mover.quoted}`);
    const said = await migrated(mover.url);
    expect(said).toEqual([
      expect.stringMatching(/^info .* temporary on database .*, create on schema public\./),
      expect.stringMatching(/^warn .* can do more than read, .* LOG_LEVEL=debug /),
    ]);
    const sql = details.join(' ');
    expect(sql).toMatch(/grant execute on function lo_creat\(integer\) to "Owner .*; revoke execute/);
    const reader = await session(readerUrl);
    expect(
      (await passes(reader)).map((write) => /lo_\w+|pg_logical_\w+|add_job/.exec(write)?.[0]).sort(),
    ).toEqual([
      ...(engine.name === 'TimescaleDB' ? ['add_job'] : []),
      'lo_creat',
      'lo_create',
      'lo_from_bytea',
      'pg_logical_emit_message',
      'pg_logical_emit_message',
    ]);
    const before = await rows(RIGHTS);
    expect(await migrated(mover.url)).toEqual(said.slice(1)); // still unchanged
    expect(await rows(RIGHTS)).toEqual(before);

    await superuser.query(sql);
    expect(await passes(reader)).toEqual([]);
    expect(await migrated(mover.url)).toEqual([]);
    // the owner of the points keeps the rights that public lost
    const owner = await session(mover.url);
    await owner.query('create temp table mine (a int)');
    await owner.query('begin; select lo_create(0); rollback');
    if (engine.name === 'TimescaleDB') {
      await owner.query(`create procedure mine(int, jsonb) language sql as 'select 1'`);
      await owner.query(`select delete_job(add_job('mine', '1h'))`);
    }
  });
});
