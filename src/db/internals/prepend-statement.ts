// Runs a statement before a question, in the same transaction.
//
// Relies on pg 8.23: `Query#submit(connection)` sends the question, and `Connection` has `parse`, `bind`, `execute` and
// `stream`. pg types these but does not document them.
import type pg from 'pg';

/**
 * The transaction ends with the question. All of it is sent at once: messages up to the next Sync are one transaction
 * (PostgreSQL's protocol, "Pipelining").
 *
 * @param statement has no rows, so that those of the question come first
 */
export function runBefore(statement: string, query: pg.Query): pg.Query {
  const submit = query.submit.bind(query);
  query.submit = (connection: pg.Connection) => {
    connection.stream.cork();
    connection.parse({ name: '', text: statement, types: [] }, true);
    connection.bind({ statement: '', values: [] }, true);
    connection.execute({}, true);
    submit(connection);
    connection.stream.uncork();
  };
  return query;
}
