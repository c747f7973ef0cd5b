// Limits a database to one schema. Each statement names the schema, because a setting of the session would be shared
// behind a pooler, and would lead to another schema's tables once this schema is gone.
import pg from 'pg';
import type { Database, Run, Statement } from './database.ts';
import { codeOf } from './faults.ts';

/**
 * Matches our names in a schema, quoted or not, but not aliases or qualifiers of columns. A string literal with such a
 * name gets the schema too, as `to_regclass` needs it: compare only those literals with one.
 */
const NAMES = /(?<!\bas )(?<!")"?\baudio_data\w*"?(?!["\w]*\.)/g;
/** SQLSTATEs for a missing table, function or schema. */
const GONE = new Set(['42P01', '42883', '3F000']);

/**
 * @param schema its unquoted name
 * @param missing the error to throw if a statement finds none of our tables there
 * @returns the database as seen from that schema
 */
export function inSchema<Whole extends Database>(db: Whole, schema: string, missing: () => Error): Whole {
  const prefix = `${pg.escapeIdentifier(schema)}.`;
  const place = (text: string) => text.replace(NAMES, `${prefix}$&`);
  const placed = new WeakMap<Statement, Statement>();

  /** Drops the statement's name: a server keeps named statements per connection. */
  function placeStatement(statement: Statement): Statement {
    const { name, label = name, text, parameters } = statement;
    const found = placed.get(statement) ?? { ...(label && { label }), text: place(text), parameters };
    placed.set(statement, found);
    return found;
  }

  function noticed(error: unknown): never {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw cause instanceof Error && GONE.has(codeOf(cause)) ? missing() : error;
  }

  async function* noticing(pieces: AsyncIterable<Buffer>) {
    try {
      yield* pieces;
    } catch (error) {
      noticed(error);
    }
  }

  const placeRun =
    (run: Run): Run =>
    (text, values) =>
      run<never>(place(text), values).catch(noticed);
  const { copyOut, run } = db;
  return {
    ...db,
    query: (statement, ...rest) => db.query<never>(placeStatement(statement), ...rest).catch(noticed),
    ...(copyOut && {
      copyOut: (statement, ...rest) => noticing(copyOut(placeStatement(statement), ...rest)),
    }),
    transaction: (work, options) => {
      const placed: typeof work = ({ run, copy }) =>
        work({ run: placeRun(run), copy: (csv) => copy(csv, `${prefix}audio_data`) });
      return db.transaction(placed, { ...options, schema }).catch(noticed);
    },
    ...(run && { run: placeRun(run) }),
  } satisfies Database & typeof db;
}
