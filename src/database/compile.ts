// Compiles the statements that Drizzle builds, most of them once at start, to the text that the drivers run.
import type { Statement, Values } from './database.ts';
import { is, PgDialect, Placeholder, type SQL, type SQLWrapper, sql } from './drizzle.ts';

const dialect = new PgDialect();

/** A placeholder for a value that comes with each request. */
export function parameter(name: string): InstanceType<typeof Placeholder> {
  return sql.placeholder(name);
}

/**
 * @param query declares the type of its rows, for example `sql<{ time: string }>`
 * @param name for a statement that is compiled once, at start
 * @returns the SQL text and the names of its parameters, in order
 */
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

/** For a statement that is compiled per request: the constants in its SQL become its values. */
export function compileWithValues<Row>(query: SQL<Row>): { statement: Statement<Row>; values: Values } {
  const { sql: text, params } = dialect.sqlToQuery(query.getSQL());
  const parameters = params.map((_, index) => String(index + 1));
  return {
    statement: { text, parameters },
    values: Object.fromEntries(params.map((param, index) => [String(index + 1), plainText(param)])),
  };
}

function plainText(param: unknown): string | null {
  if (param !== null && !['string', 'number', 'bigint', 'boolean'].includes(typeof param))
    throw new TypeError(`A statement must not contain a value of the type ${typeof param}`);
  return param === null ? null : String(param);
}
