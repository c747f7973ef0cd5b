import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { reasonOf } from '../../src/database/unreachable-reason.ts';
import { copyIn } from '../copy-in.ts';
import { connect, createDatabase, describeServer, openForAll, statement } from '../engines.ts';
import { csvRows } from '../rows.ts';
import { arrangements } from './arrangements.ts';

const { open } = arrangements();

const PID = statement<{ pid: number }>('select pg_backend_pid() as pid');
/** Raises a fault in each session older than the row of `changed`, and in no other. */
const OUTDATED = `
  create table changed (at timestamptz);
  create function seven(code text, message text) returns int language plpgsql as $$
  begin
    if exists (select from changed, pg_stat_activity where pid = pg_backend_pid() and backend_start < at) then
      raise exception using errcode = code, message = message;
    end if;
    return 7;
  end $$`;

describeServer(inject('timescale') ? 'timescale' : 'postgres', 'A change under sessions', (_, server) => {
  const shared = openForAll(async () => {
    const { url, drop } = await createDatabase(server, server.template);
    const owner = await connect(url);
    await owner.query(OUTDATED);
    return { url, owner, close: () => owner.end().then(drop) };
  });
  beforeEach(() => shared.owner.query('truncate changed'));

  function arranged() {
    const { url, owner } = shared;
    const db = open(url, { poolSize: 4, copyPoolSize: 1, poolWaitMs: 20_000 });
    const each = () => Promise.all([1, 2, 3, 4].map(() => db.query(statement('select pg_sleep(0.1)'))));
    return {
      db,
      owner,
      open: each,
      change: () => owner.query('insert into changed values (clock_timestamp())'),
    };
  }

  it.each([
    ['XX000', 'could not open relation with OID 16999'],
    ['XX000', 'cache lookup failed for function 16999'],
    ['42710', '"timescaledb" already loaded with a different version'],
  ])('is retried on new sessions: %s %s', async (code, message) => {
    const { db, open, change } = arranged();
    await open();
    const query = () => db.query(statement(`select seven('${code}', '${message}') as answer`));
    await change();
    expect(await Promise.all(Array.from({ length: 20 }, query))).toEqual(Array(20).fill([{ answer: 7 }]));
  });

  it('is retried if the columns of a prepared statement have changed', async () => {
    const { db, owner } = arranged();
    await owner.query('create table widened (n int); insert into widened values (7)');
    const all = { name: 'all', text: 'select * from widened', parameters: [] };
    expect(await db.query(all)).toEqual([{ n: 7 }]);
    await owner.query('alter table widened add m int default 8');
    expect(await db.query(all)).toEqual([{ n: 7, m: 8 }]);
  });

  it('costs one fault, even in an export; then all older sessions are replaced', async () => {
    const { db, open, change } = arranged();
    const rows = async () => {
      const pieces: Buffer[] = [];
      const text = `select seven('XX000', 'cache lookup failed for type 1')`;
      for await (const piece of db.copyOut?.(statement(text), {}) ?? []) pieces.push(piece);
      return Buffer.concat(pieces).length;
    };
    const size = await rows();
    const pids = async () => {
      const queries = [1, 2, 3, 4].map(() =>
        db.query<{ pid: number }>(statement('select pg_backend_pid() as pid, pg_sleep(0.1)')),
      );
      return (await Promise.all(queries)).flatMap(([row]) => row?.pid ?? []);
    };
    await open();
    const before = await pids();
    await change();
    await expect(rows()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await rows()).toBe(size);
    expect((await pids()).filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('is 503 if new sessions also fail, even in a COPY', async () => {
    const { db, owner } = arranged();
    await owner.query(`create function lost() returns trigger language plpgsql as $$
      begin raise exception using errcode = 'XX000', message = 'could not open relation with OID 1'; end $$;
      create trigger lost before insert on audio_data for each row execute function lost()`);
    onTestFinished(async () => void (await owner.query('drop function lost cascade')));
    const insert = statement(`insert into audio_data values (now(), -1, 440, false)`);
    await expect(db.query(insert)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(copyIn(db, csvRows(1))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('stays an internal error if the server reports something else, but its sessions are replaced', async () => {
    const { db, owner, change } = arranged();
    const query = statement(`select seven('XX000', 'tried to do the impossible') as answer`);
    const pid = async () => (await db.query(PID))[0]?.pid;
    const before = await pid();
    await change();
    expect(await db.query(query)).toEqual([{ answer: 7 }]); // on a new session
    expect(await pid()).not.toBe(before);
    await owner.query(`insert into changed values ('infinity')`);
    await expect(db.query(query)).rejects.toMatchObject({ code: 'XX000' });
  });

  it("is 503 if an extension's library is gone, and the reason names the fix", async () => {
    const { db, owner } = arranged();
    await owner.query(`insert into changed values ('infinity')`);
    const gone = 'could not access file "$libdir/timescaledb-2.28.0": No such file or directory';
    const fault = await db.query(statement(`select seven('58P01', '${gone}')`)).catch((error) => error);
    expect(fault).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(reasonOf(fault)).toBe(
      `${gone}: after a package update, run in a new session: alter extension timescaledb update (docs/how-to/upgrade.md)`,
    );
  });

  it('stays an internal error if a file of the database itself is gone', async () => {
    const { db, owner } = arranged();
    await owner.query(`insert into changed values ('infinity')`);
    const query = statement(
      `select seven('58P01', 'could not open file "base/5/16384": No such file or directory')`,
    );
    await expect(db.query(query)).rejects.toMatchObject({ code: '58P01' });
  });

  it('keeps a session if only its statement was refused', async () => {
    const { db } = arranged();
    const before = await db.query(PID);
    await expect(db.query(statement('select 1 / 0'))).rejects.toMatchObject({ code: '22012' });
    expect(await db.query(PID)).toEqual(before);
  });

  it('is ready at once', async () => {
    const { db, owner } = arranged();
    await db.ready();
    await owner.query(`alter table drizzle.__drizzle_migrations rename to migrations;
      create view drizzle.__drizzle_migrations as
        select id, hash, created_at + 0 * public.seven('XX000', 'cache lookup failed for type 1') as created_at
        from drizzle.migrations`);
    await owner.query('insert into changed values (clock_timestamp())');
    await db.ready();
  });
});
