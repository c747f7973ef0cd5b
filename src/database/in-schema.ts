// Limits a database to one schema, which each statement names. A search_path would be shared behind a pooler, and would
// find another schema's tables once this schema is gone.
import type { Database, RunStatement, Statement } from './database.ts';
import { queriesOf } from './drizzle.ts';
import { codeOf } from './faults.ts';
import { textIn } from './schema.ts';

/** SQLSTATEs for a missing table, function or schema. */
const GONE = new Set(['42P01', '42883', '3F000']);

/**
 * @param schema unquoted. @param missing the error if it has none of our tables. @param server the one that holds it now
 * @returns the database seen from it
 */
export function inSchema<Whole extends Database>(
  db: Whole,
  schema: string,
  missing: () => Error,
  server: () => string | undefined = () => undefined,
): Whole {
  const qualify = (text: string) => textIn(text, schema);

  /** Drops the statement's name: a server keeps named statements per connection. */
  function qualifyStatement<Row>(statement: Statement<Row>): Statement<Row> {
    const { name, label = name, text, parameters } = statement;
    return {
      ...{ ...(label && { label }), text: qualify(text), parameters },
      get server() {
        return server(); // the station may move
      },
    };
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

  const qualifyRun =
    (run: RunStatement): RunStatement =>
    (text, values) =>
      run<never>(qualify(text), values).catch(noticed);
  const { copyOut, run } = db;
  return {
    ...db,
    server,
    query: (statement, ...rest) => db.query(qualifyStatement(statement), ...rest).catch(noticed),
    ...(copyOut && {
      copyOut: (statement, ...rest) => noticing(copyOut(qualifyStatement(statement), ...rest)),
    }),
    transaction: (work, options) => {
      const qualifiedWork: typeof work = ({ run: bare, copy }) => {
        const run = qualifyRun(bare);
        return work({ ...queriesOf(run), run, copy: (csv) => copy(csv, schema) });
      };
      return db.transaction(qualifiedWork, { ...options, schema, server: server() }).catch(noticed);
    },
    ...(run && { run: qualifyRun(run) }),
  } satisfies Database & typeof db;
}
