// The tables in Drizzle's terms, compared with the tables that the migrations create.
import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { is, SQL } from 'drizzle-orm';
import { getTableConfig, getViewConfig, PgColumn, PgDialect, PgTable, PgView } from 'drizzle-orm/pg-core';
import { expect, it } from 'vitest';
import { tables } from '../../src/database/schema.ts';
import { describeEachDriver, openForAll } from '../engines.ts';
import { temporaryFolder } from '../process.ts';

it('has no change that the snapshots of drizzle-kit lack', () => {
  const folder = temporaryFolder();
  for (const name of ['drizzle', 'src', 'drizzle.config.ts', 'package.json'])
    cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  const said = execFileSync('node_modules/.bin/drizzle-kit', ['generate'], { cwd: folder, encoding: 'utf8' });
  expect(said).toContain('No schema changes');
});

const COLUMNS = `
  select relname || '.' || attname as name, format_type(atttypid, atttypmod) as type,
    attnotnull as required, attidentity = 'd' as identity, attnum = any(conkey) is true as key,
    regexp_replace(pg_get_expr(adbin, adrelid), '::[a-z ]+$', '') as default
  from pg_class
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    left join pg_constraint on conrelid = attrelid and contype = 'p'
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'f')`;

function textOf(value: unknown): string | null {
  if (is(value, SQL)) return new PgDialect().sqlToQuery(value).sql;
  if (typeof value === 'string') return `'${value}'`;
  return value === undefined ? null : String(value);
}

const declared = Object.values<unknown>(tables).flatMap((relation) => {
  const { name, columns, keys } = is(relation, PgTable)
    ? { ...getTableConfig(relation), keys: getTableConfig(relation).primaryKeys }
    : is(relation, PgView)
      ? {
          ...getViewConfig(relation),
          columns: Object.values(getViewConfig(relation).selectedFields),
          keys: [],
        }
      : { name: '', columns: [], keys: [] };
  return columns.flatMap((column: unknown) =>
    is(column, PgColumn)
      ? {
          name: `${name}.${column.name}`,
          type: column.getSQLType(),
          required: column.notNull,
          identity: column.generatedIdentity?.type === 'byDefault',
          key: column.primary || keys.some((key) => key.columns.some((part) => part.name === column.name)),
          default: textOf(column.default),
        }
      : [],
  );
});

const byName = (rows: readonly { readonly name: string }[]) =>
  rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));

describeEachDriver('The declared tables', (engine) => {
  const test = openForAll(() => engine.open());

  it('have the columns, types, defaults and keys of a freshly migrated database, and no table is missing', async () => {
    expect(byName(await test.sql(COLUMNS))).toEqual(byName(declared));
  });
});
