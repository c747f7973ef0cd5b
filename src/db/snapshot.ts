// Several statements on one state of the database.
import type pg from 'pg';
import type { Database } from './database.ts';
import { explain } from './faults.ts';
import { valuesOf } from './values.ts';

/** Works on a replica too. */
const BEGIN = 'begin isolation level repeatable read read only';

/** Runs `work` on one connection of the pool, in one transaction. */
export async function inSnapshot<T>(
  pool: pg.Pool,
  work: (query: Database['query']) => Promise<T>,
): Promise<T> {
  try {
    return await again(() => attempt(pool, work));
  } catch (error) {
    throw explain(error);
  }
}

async function attempt<T>(pool: pg.Pool, work: (query: Database['query']) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const ignore = () => {}; // the statement that runs fails too; without a listener the process would end
  client.on('error', ignore);
  let done = false;
  try {
    await client.query(BEGIN);
    const result = await work(async (statement, values = {}) => {
      return (await client.query({ text: statement.text, values: valuesOf(statement, values) })).rows;
    });
    await client.query('commit');
    done = true;
    return result;
  } finally {
    client.release(!done); // closing the connection ends its transaction
    client.off('error', ignore);
  }
}

/** A replica cancels a read when the primary drops a chunk; once more is then enough. */
export function again<T>(run: () => Promise<T>): Promise<T> {
  return run().catch((error) => {
    if (error.code === '40001') return run();
    throw error;
  });
}
