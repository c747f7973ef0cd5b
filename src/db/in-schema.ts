// The part of a database that is one schema. The schema travels with each statement: what a session knows of it would be
// another's behind a pooler, and lead to another schema's tables when this one is gone.
import pg from 'pg';
import type { Database, Run, Statement } from './database.ts';
import { codeOf } from './faults.ts';

/**
 * All that is ours in a schema has a name that begins like this, quoted or not. An alias is not, nor what a column is of.
 * A text of such a name gets the schema too, as `to_regclass` wants it: compare no other texts with one.
 */
const NAMES = /(?<!\bas )(?<!")"?\baudio_data\w*"?(?!["\w]*\.)/g;
/** SQLSTATEs of what is not there: a table, a function, a schema. */
const GONE = new Set(['42P01', '42883', '3F000']);

/**
 * @param schema as it is called
 * @param missing the error to throw if a statement finds no table of ours there
 * @returns the database as the statements find it in that schema
 */
export function inSchema<Whole extends Database>(db: Whole, schema: string, missing: () => Error): Whole {
  const prefix = `${pg.escapeIdentifier(schema)}.`;
  const place = (text: string) => text.replace(NAMES, `${prefix}$&`);
  const placed = new WeakMap<Statement, Statement>();

  /** Without its name: a server keeps what is named, for each connection. */
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
