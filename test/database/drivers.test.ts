import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openPostgres } from '../../src/database/postgres.ts';
import { copyIn } from '../copy-in.ts';
import { describeEachDriver, openForAll, statement } from '../engines.ts';

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

describeEachDriver('A driver', (engine) => {
  const test = openForAll(() => engine.open());

  it('returns rows as plain values: text for times, exact numbers for bigints', async () => {
    const statement = {
      text: `select '2026-01-01T00:00:00.123456Z'::timestamptz > $1::timestamptz as later, $2::int8 as big,
               $3::real as level, 9007199254740993::int8 as huge, null as nothing, $4::boolean as yes`,
      parameters: ['time', 'big', 'level', 'yes'],
    };
    const values = { time: '2026-01-01T00:00:00.123455Z', big: 12345678901, level: -12.3, yes: true };
    expect(await test.db.query(statement, values)).toEqual([
      { later: true, big: 12345678901, level: -12.3, huge: '9007199254740993', nothing: null, yes: true },
    ]);
  });

  it('accepts the same value in several places and in any order', async () => {
    const statement = { text: 'select $1::int - $2::int + $3::int as n', parameters: ['b', 'a', 'b'] };
    expect(await test.db.query(statement, { a: 1, b: 10 })).toEqual([{ n: 19 }]);
  });

  it('formats values as text the same way, whatever the settings of the database', async () => {
    if (test.url)
      await test.sql(`do $$ begin
        execute format('alter database %I set timezone = ''Asia/Kathmandu''', current_database());
        execute format('alter database %I set datestyle = ''German''', current_database());
        execute format('alter database %I set extra_float_digits = 0', current_database());
      end $$`);
    // the settings apply to new connections
    const db = test.url
      ? openPostgres({ url: test.url, poolWaitMs: 20_000, queryTimeoutMs: 10_000, exportTimeoutMs: 10_000 })
      : test.db;
    const values = `select '2026-02-01T00:30:00.120+01:00'::timestamptz, (-12.345678)::real, true, null::int`;
    const statement = { text: `select values::text as line from (${values}) as values`, parameters: [] };
    expect(await db.query(statement)).toEqual([{ line: '("2026-01-31 23:30:00.12+00",-12.345678,t,)' }]);
    if (test.url) await db.close();
  });

  it('copies lines out as the statement writes them, or reports that it cannot', async () => {
    const statement = {
      text: `select concat_ws(',', n, $1::real, $2::text) from generate_series(1, 2000) n limit $3`,
      parameters: ['level', 'text', 'limit'],
    };
    const values = { level: -12.345678, text: `it's "quoted" $1 {}`, limit: 1500 };
    const pieces: Buffer[] = [];
    for await (const piece of test.db.copyOut?.(statement, values) ?? []) pieces.push(piece);
    const lines = Array.from({ length: 1500 }, (_, n) => `${n + 1},-12.345678,it's "quoted" $1 {}\n`);
    expect(Buffer.concat(pieces).toString() === (test.url ? lines.join('') : '')).toBe(true);
  });

  it('cancels a query whose caller has left, and keeps working', async () => {
    const slow = statement(`select n, pg_sleep(0.01) from generate_series(1, ${test.url ? 10_000 : 10}) n`);
    const leaving = new AbortController();
    const first = test.db.query(slow, {}, leaving.signal);
    const rejected = expect(first).rejects.toThrow('gone');
    if (test.url)
      await expect
        .poll(() =>
          test.sql(
            "select from pg_stat_activity where datname = current_database() and query like 'select n, pg_sleep(0.01)%'",
          ),
        )
        .toHaveLength(1);
    else await setImmediate();
    leaving.abort(new Error('gone'));
    await rejected;
    expect(await test.db.query(statement('select 1 as n'))).toEqual([{ n: 1 }]);
  });

  it('stores CSV rows', async () => {
    const csv = '2026-01-01T00:00:00.000001Z,-12.5,440,true\n2026-01-01T00:00:00.000001Z,,,false\n';
    expect(await copyIn(test.db, pieces(csv))).toBe(2);
    expect(await test.sql('select rms_db, frequency_hz, is_silence from audio_data order by 1')).toEqual([
      { rms_db: -12.5, frequency_hz: 440, is_silence: true },
      { rms_db: null, frequency_hz: null, is_silence: false },
    ]);
    await test.sql('truncate audio_data');
  });

  it('stores nothing when a later row is bad', async () => {
    await expect(
      copyIn(test.db, pieces('2026-01-01T00:00:00Z,-1,440,f\n', '2026-01-01T00:00:01Z,5,440,f\n')),
    ).rejects.toMatchObject({ code: '23514' });
    expect(await test.sql('select count(*)::int as n from audio_data')).toEqual([{ n: 0 }]);
  });

  it('stores points together with their guards, or neither', async () => {
    await test.sql('create table if not exists guards (n int primary key)');
    const guarded = (n: number, csv: string) =>
      test.db.transaction(async ({ run, copy }) => {
        const guards = await run('insert into guards values ($1::int) on conflict do nothing returning n', [
          n,
        ]);
        return guards.length === 0 ? 0 : copy(csv);
      });
    const row = '2026-01-01T00:00:00Z,-1,440,f\n';
    const count = async () =>
      (
        await test.sql(
          'select (select count(*)::int from audio_data) as p, (select count(*)::int from guards) as g',
        )
      )[0];
    const before = await count();
    expect(await guarded(1, row + row)).toBe(2);
    expect(await guarded(1, row + row)).toBe(0);
    await expect(guarded(2, `${row}no point\n`)).rejects.toMatchObject({
      code: '22007',
    });
    expect(await count()).toEqual({ p: before.p + 2, g: before.g + 1 });
    expect(await guarded(2, row)).toBe(1);
  });
});
