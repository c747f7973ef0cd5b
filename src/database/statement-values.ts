// Converts the values of statements, and the times that statements select.
import pg from 'pg';
import { AppError } from '../errors.ts';
import type { Queries, RunStatement, Statement, Value, Values } from './database.ts';
import { type SQLWrapper, sql } from './drizzle.ts';
import { textIn } from './schema.ts';

const ofConnection = new WeakMap<Statement, Statement>();

/** @returns the statement for the schema of the connection */
export function statementIn(statement: Statement): Statement {
  const found = ofConnection.get(statement) ?? { ...statement, text: textIn(statement.text) };
  ofConnection.set(statement, found);
  return found;
}

/** Runs statements on a connection, for its schema. */
export function runOnClient(client: pg.ClientBase): RunStatement {
  return async (text, values) =>
    [await client.query(textIn(text), values && [...values])].flat().at(-1)?.rows ?? [];
}

/** Runs statements as a database does. */
export const queriesOf = (run: RunStatement): Queries => ({
  query: (statement, values = {}) => run<never>(statement.text, valuesOf(statement, values)),
});

/** @returns the values of a statement in the order of its `$1`, `$2`, ... */
export function valuesOf(statement: Statement, values: Values): Value[] {
  return statement.parameters.map((name) => {
    const value = values[name];
    if (value === undefined) throw new AppError('INTERNAL_SERVER_ERROR', `No value for parameter ${name}`);
    return value;
  });
}

/**
 * For COPY, which takes no parameters. The text must contain each `$1`, `$2`, ... once and in order, as Drizzle writes
 * them.
 *
 * @returns the statement's text with its values as quoted literals. As for parameters, the server infers their types
 */
export function withLiterals(statement: Statement, values: Values): string {
  const literals = valuesOf(statement, values).map((value) =>
    value === null ? 'null' : pg.escapeLiteral(String(value)),
  );
  // replaces the last placeholder first: a literal may contain text such as $1
  return literals.reduceRight(
    (text, literal, index) => text.replace(`$${index + 1}`, () => literal),
    statementIn(statement).text,
  );
}

/** Selects a time in the canonical form. Unlike a parsed date it keeps the microseconds. */
export const instantText = (time: SQLWrapper) =>
  sql<string>`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Selects a time in microseconds since 1970, as text: JSON would round such large numbers. */
export const microsText = (time: SQLWrapper) =>
  sql<string>`((extract(epoch from ${time}) * 1000000)::bigint)::text`;

/** Selects a time in whole seconds since 1970. */
export const epochOf = (time: SQLWrapper) => sql`extract(epoch from ${time})::bigint`;
