// Drizzle, and the statements that it builds: compiled, most of them once at start.
// It is loaded as CommonJS: for ES modules, Node.js would parse Drizzle's 180 kB package.json for each of 112 files.
import { createRequire } from 'node:module';
import type { SQL, SQLWrapper } from 'drizzle-orm';
import pg from 'pg';
import { AppError } from '../errors.ts';
import type { Queries, RunStatement, Statement, Value, Values } from './database.ts';

export type { PgColumn, PgColumnBuilderBase, PgTableFn } from 'drizzle-orm/pg-core';
export type { SQL, SQLWrapper };

const require = createRequire(import.meta.url);

export const {
  and,
  asc,
  desc,
  DrizzleQueryError,
  eq,
  getTableColumns,
  getTableName,
  gt,
  inArray,
  is,
  lt,
  lte,
  max,
  min,
  Placeholder,
  sql,
}: typeof import('drizzle-orm') = require('drizzle-orm');

export const pgCore: typeof import('drizzle-orm/pg-core') = require('drizzle-orm/pg-core');

export const pgProxy: typeof import('drizzle-orm/pg-proxy') = require('drizzle-orm/pg-proxy');

export const { PgDialect, QueryBuilder } = pgCore;

export const { readMigrationFiles }: typeof import('drizzle-orm/migrator') = require('drizzle-orm/migrator');

const dialect = new PgDialect();

/** Quotes a name for SQL: of a schema, a role or a database. Keywords such as `left` are names too. */
export const identifier = (name: string) => pg.escapeIdentifier(name);

/** A placeholder for a value that comes with each request. */
export const parameter = (name: string): InstanceType<typeof Placeholder> => sql.placeholder(name);

/** @param query declares its rows, such as `sql<{ time: string }>`. @param name for a statement compiled at start */
export function compile<Row>(query: SQL<Row> | SQLWrapper, name?: string): Statement<Row> {
  const { sql: text, params } = dialect.sqlToQuery(query.getSQL());
  return {
    ...(name && { name }),
    text,
    parameters: params.map((param) => {
      if (!is(param, Placeholder))
        throw new TypeError(`A statement must not contain the constant ${String(param)}`);
      return param.name;
    }),
  };
}

/**
 * For a statement that is compiled per request: the constants in its SQL become its values. A list of times that occurs
 * several times is sent and parsed once: ten years of days have 11,000.
 */
export function compileWithValues<Row>(query: SQL<Row>): { statement: Statement<Row>; values: Values } {
  const { sql: written, params } = dialect.sqlToQuery(query.getSQL());
  const values: Record<string, string | null> = {};
  const lists = new Map<string | null, string>();
  let count = 0;
  const text = written.replaceAll(/\$(\d+)(::timestamptz\[\])?/g, (_, number: string, list = '') => {
    const value = plainText(params[Number(number) - 1]);
    const name = (list && lists.get(value)) || String(++count);
    if (list) lists.set(value, name);
    values[name] = value;
    return `$${name}${list}`;
  });
  return { statement: { text, parameters: Object.keys(values) }, values };
}

function plainText(param: unknown): string | null {
  if (param !== null && !['string', 'number', 'bigint', 'boolean'].includes(typeof param))
    throw new TypeError(`A statement must not contain a value of the type ${typeof param}`);
  return param === null ? null : String(param);
}

/** @returns the values of a statement in the order of its `$1`, `$2`, ... */
export const valuesOf = (statement: Statement, values: Values): Value[] =>
  statement.parameters.map((name) => {
    const value = values[name];
    if (value === undefined) throw new AppError('INTERNAL_SERVER_ERROR', `No value for parameter ${name}`);
    return value;
  });

export const queriesOf = (run: RunStatement): Queries => ({
  query: (statement, values = {}) => run<never>(statement.text, valuesOf(statement, values)),
});

/** Selects a time in the canonical form. Unlike a parsed date it keeps the microseconds. */
export const instantText = (time: SQLWrapper) =>
  sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Selects a time in whole seconds since 1970. */
export const epochOf = (time: SQLWrapper) => sql`date_part('epoch', ${time})::bigint`;

/** Drizzle's query builder, for plain reads and writes. Mapping the rows of points would cost more than the queries. */
const builderOn = ({ query }: Queries) =>
  pgProxy.drizzle(async (text, params, method) => {
    const values = Object.fromEntries(params.entries());
    const rows = await query({ text, parameters: Object.keys(values) }, values);
    // two selected columns must not share a name
    return { rows: method === 'all' ? rows.map((row) => Object.values(row as object)) : rows };
  });

/** @param build builds queries, which run when awaited. @throws the errors of `queries`, without Drizzle's wrapping */
export async function withBuilder<Result>(
  queries: Queries,
  build: (builder: ReturnType<typeof builderOn>) => PromiseLike<Result>,
): Promise<Result> {
  try {
    return await build(builderOn(queries));
  } catch (error) {
    throw error instanceof DrizzleQueryError ? error.cause : error;
  }
}

/** Some rows at a time: one statement takes at most 65,535 values. */
export function* slicesOf<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += 1000) yield rows.slice(start, start + 1000);
}
