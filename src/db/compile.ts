// Statements: Drizzle builds them, most once at start; the drivers run their text.
import type { Statement, Values } from './database.ts';
import { is, PgDialect, Placeholder, type SQLWrapper, sql } from './drizzle.ts';

const dialect = new PgDialect();

/** The place of a value that comes with each request. */
export function parameter(name: string): InstanceType<typeof Placeholder> {
  return sql.placeholder(name);
}

/**
 * @param name for a statement that is made once, at start
 * @returns the SQL text and the names of its parameters, in order
 */
export function compile(query: SQLWrapper, name?: string): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query.getSQL());
  return {
    ...(name && { name }),
    text,
    parameters: params.map((param) => {
      if (!is(param, Placeholder))
        throw new TypeError(`A statement may not hold the constant ${String(param)}`);
      return param.name;
    }),
  };
}

/** A statement that is made for one request: the constants of its SQL are its values. */
export function compileWithValues(query: SQLWrapper): { statement: Statement; values: Values } {
  const { sql: text, params } = dialect.sqlToQuery(query.getSQL());
  const parameters = params.map((_, place) => String(place + 1));
  return {
    statement: { text, parameters },
    values: Object.fromEntries(params.map((value, place) => [String(place + 1), String(value)])),
  };
}
