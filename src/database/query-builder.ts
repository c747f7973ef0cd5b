// Drizzle's query builder, for plain reads and writes. Points and statistics are queried without it: mapping their rows
// would cost more than the queries.
import type { Queries } from './database.ts';
import { DrizzleQueryError, pgProxy } from './drizzle.ts';

const builderOn = ({ query }: Queries) =>
  pgProxy.drizzle(async (text, params, method) => {
    const values = Object.fromEntries(params.entries());
    const rows = await query({ text, parameters: Object.keys(values) }, values);
    // two selected columns must not share a name
    return { rows: method === 'all' ? rows.map((row) => Object.values(row as object)) : rows };
  });

/**
 * @param queries a database or a transaction
 * @param build builds queries, which run when awaited
 * @throws the errors of `queries`, without Drizzle's wrapping
 */
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
