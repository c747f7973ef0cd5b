// How values go into a statement and come out of a row.
import pg from 'pg';
import { AppError } from '../errors.ts';
import type { Statement, Values } from './database.ts';

/** @returns the values of a statement in the order of its `$1`, `$2`, ... */
export function valuesOf(statement: Statement, values: Values): (string | number | boolean | null)[] {
  return statement.parameters.map((name) => {
    const value = values[name];
    if (value === undefined) throw new AppError('INTERNAL_SERVER_ERROR', `No value for parameter ${name}`);
    return value;
  });
}

/**
 * @returns the statement's text with its values written in, for COPY, which takes no parameters. Each is a
 * quoted literal of unknown type: the server types it by its place, as it does a parameter.
 */
export function withLiterals(statement: Statement, values: Values): string {
  const literals = valuesOf(statement, values).map((value) =>
    value === null ? 'null' : pg.escapeLiteral(String(value)),
  );
  return statement.text.replace(/\$(\d+)/g, (place, number) => literals[Number(number) - 1] ?? place);
}

/** Settings of a session in which a time, a level or a flag as text reads the same on every database. */
export const TEXT_FORMS = "set timezone = 'UTC'; set datestyle = 'ISO'; set extra_float_digits = 1";

/** A bigint is a number where that is exact, else its digits. */
export function readBigint(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}
