// What keeps stations on Citus working, checked on a plain server: statements that run on one node, and shards' names.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { namingShards } from '../../src/database/citus.ts';
import { readMigrationFiles } from '../../src/database/drizzle.ts';
import { MIGRATIONS_FOLDER } from '../../src/database/schema-version.ts';
import { describeServer, openForAll } from '../engines.ts';

/** Text without comments, literals and, unless they run at once, bodies of functions. */
function bare(text: string): string {
  const isBlock = /^\s*do\b/i;
  return text
    .replace(/--.*$/gm, '')
    .replace(/(\$\w*\$)([\s\S]*?)\1/g, (_, __, body, at) => (isBlock.test(text.slice(0, at)) ? body : `''`))
    .replace(/'(?:[^']|'')*'/g, `''`)
    .toLowerCase();
}

/** What the parentheses around a place enclose, from that place on. */
function upToParenthesis(text: string): string {
  let depth = 0;
  let end = 0;
  for (; end < text.length && depth >= 0; end++)
    depth += Number(text[end] === '(') - Number(text[end] === ')');
  return text.slice(0, end);
}

const changes = (text: string) =>
  [...text.matchAll(/\b(?:update "?[@\w]|delete from )/g)].map(({ index }) =>
    upToParenthesis(text.slice(index)),
  );

/** A cast of a column that depends on settings, an interval that is added, or a clock. */
const STABLE =
  /[a-z_"]::(?!float8|int|bigint|smallint|numeric|boolean)|[+-] interval|\bmake_interval|clock_timestamp/;

/** @returns the rules that a statement breaks */
function unroutable(sql: string): string[] {
  const text = bare(sql);
  const outside = text.replace(/"@station"\.audio_data\w*\(/g, '');
  const broken: Record<string, boolean> = {
    'several statements': /;\s*\S/.test(text) && !/^\s*do\b/.test(text),
    'INSERT .. SELECT':
      /insert into (?:(?!\bvalues\b)[^;])*?\bselect\b[^;]*\bfrom "?(?:@station"\.)?(?!unnest)\w/.test(text),
    'a function without a table': outside !== text && !outside.includes('"@station"."'),
    'DO UPDATE with a stable function': /do update set[^;]*?(?:::(?!float8|int)|\w\(\)|\binterval\b)/.test(
      text,
    ),
    'UPDATE or DELETE with a stable function': changes(text).some((change) => STABLE.test(change)),
  };
  return Object.keys(broken).filter((rule) => broken[rule]);
}

/** @returns the rules that a statement of a migration breaks */
function unmigratable(sql: string): string[] {
  const text = bare(sql);
  const broken: Record<string, boolean> = {
    'ADD COLUMN .. CHECK':
      /\badd (?:column )?(?:if not exists )?(?!constraint)\w+ [^,;]*\b(?:check|references)\b/.test(text),
    'SET STATISTICS': /\bset statistics\b/.test(text),
    'UPDATE with a setting': changes(text).some((change) => /current_setting/.test(change)),
  };
  return [...unroutable(sql), ...Object.keys(broken).filter((rule) => broken[rule])];
}

describe('Statements', () => {
  afterAll(() => {
    vi.doUnmock('../../src/database/drizzle.ts');
    vi.resetModules();
  });

  it('run on one node of a cluster', async () => {
    const compiled = new Set<string>();
    vi.resetModules();
    vi.doMock('../../src/database/drizzle.ts', async (original) => {
      const real = await original<typeof import('../../src/database/drizzle.ts')>();
      const compile: typeof real.compile = (query, name) => {
        const statement = real.compile(query, name);
        compiled.add(statement.text);
        return statement;
      };
      return { ...real, compile };
    });
    const src = join(import.meta.dirname, '../../src');
    for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('.ts') && /\bcompile\(/.test(readFileSync(join(src, file), 'utf8')))
        await import(join(src, file));
    expect(compiled.size).toBeGreaterThan(70);
    expect([...compiled].flatMap((text) => unroutable(text).map((rule) => `${rule}: ${text}`))).toEqual([]);
  });

  it('of migrations after 0015 run on a distributed schema', () => {
    const later = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).slice(16);
    expect(later.flatMap(({ sql }) => sql.flatMap(unmigratable))).toEqual([]);
  });

  it.each([
    ['several statements', 'lock table "@station".audio_data; select 1'],
    [
      'INSERT .. SELECT',
      'insert into "@station".audio_data_notes select bucket from "@station".audio_data_totals',
    ],
    ['a function without a table', 'select "@station".audio_data_refresh($1::int)'],
    [
      'DO UPDATE with a stable function',
      'insert into a values (1) on conflict (a) do update set b = (c::int8multirange)::text',
    ],
    ['DO UPDATE with a stable function', 'insert into a values (1) on conflict (a) do update set b = now()'],
    [
      'UPDATE or DELETE with a stable function',
      `delete from "@station".audio_data where time + interval '1 h' < $1`,
    ],
    [
      'UPDATE or DELETE with a stable function',
      'with a as (select 1) update "@station".audio_data set b = c::text',
    ],
    ['ADD COLUMN .. CHECK', 'ALTER TABLE audio_data_station ADD COLUMN IF NOT EXISTS a int CHECK (a > 0)'],
    [
      'INSERT .. SELECT',
      'DO $$ BEGIN INSERT INTO audio_data_notes SELECT bucket FROM audio_data_totals; END $$',
    ],
    ['UPDATE with a setting', `UPDATE audio_data_refreshes SET a = coalesce(current_setting('a'), '')`],
  ])('are refused: %s in %s', (rule, text) => {
    expect(unmigratable(text)).toEqual([rule]);
  });

  it('may have these forms in functions, and others anywhere', () => {
    const inside = 'INSERT INTO a SELECT b FROM c; UPDATE a SET b = c::text;';
    expect(
      unmigratable(`CREATE OR REPLACE FUNCTION f() RETURNS void LANGUAGE sql AS $$ ${inside} $$;`),
    ).toEqual([]);
    expect(
      unroutable('insert into "@station".a (b) select 1, * from unnest($1::int[]) on conflict do nothing'),
    ).toEqual([]);
    expect(
      unroutable(`with a as (select minute + interval '1 h' as b from "@station".a)
      delete from "@station".a where minute in (select b from a)`),
    ).toEqual([]);
  });
});

describeServer('postgres', 'The functions of a station', (engine) => {
  const test = openForAll(() => engine.open());

  it('name shards in place of tables, and only there', async () => {
    const tables = await test.sql(`select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r'`);
    const shardsFrom = (first: number) =>
      new Map<string, string>(tables.map(({ name }, at) => [name, `${name}_${first + at}`]));
    const plain = new Map<string, string>(tables.map(({ name }) => [name, name]));
    const [shards, others] = [shardsFrom(102_008), shardsFrom(205_000)];
    const functions = await test.sql(`select proname as name, pg_get_functiondef(oid) as definition
      from pg_proc where pronamespace = current_schema()::regnamespace`);
    expect(functions.length).toBeGreaterThan(12);
    for (const { name, definition } of functions) {
      const named = namingShards(definition, shards);
      const [head, body] = [named.slice(0, named.indexOf('\nAS $')), named.slice(named.indexOf('\nAS $'))];
      expect(definition.startsWith(head)).toBe(true);
      // the keys of locks and names of functions stay
      const left = [...body.matchAll(/\baudio_data\w*/g)].filter(([word]) => shards.has(word));
      for (const { index } of left) expect(body.slice(index)).toMatch(/^audio_data'::regclass::oid::int/);
      expect(namingShards(named, shards)).toBe(named);
      expect(namingShards(named, plain)).toBe(definition);
      expect(namingShards(named, others)).toBe(namingShards(definition, others));
      expect(
        body.includes(`PERFORM lock_shard_metadata(5, '{${shards.get('audio_data')?.slice(11)}}');`),
      ).toBe(['audio_data_refresh', 'audio_data_remove_old'].includes(name));
    }
  });
});
