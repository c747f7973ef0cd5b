// Copies points out of a server in constant memory, and into it.
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { AppError } from '../errors.ts';
import { cancelStatement } from './cancel-statement.ts';
import type { CurrentSessions } from './current-sessions.ts';
import type { Database, Statement, Transaction, TransactionOptions, Values } from './database.ts';
import { queriesOf, valuesOf } from './drizzle.ts';
import { createThrottle, type QueryLoad } from './export-throttle.ts';
import { explain } from './faults.ts';
import { withRights } from './missing-rights.ts';
import { COPY_POINTS, textIn } from './schema.ts';
import { QUERY_SETTINGS, runOnClient, settingsSql, TEXT } from './session.ts';

/** A stream is broken off this long after its limit: the server cannot end one that waits for its reader. */
const GRACE_MS = 1000;
/** A repeatable transaction may take this many times as long as a query. */
const REPEATABLE_FACTOR = 12;

/** @param pool a separate one: slow readers would hold the queries' connections. @param queries slow exports down */
export function createCopies(
  pool: pg.Pool,
  current: CurrentSessions,
  queries: QueryLoad,
  { queryTimeoutMs, exportTimeoutMs }: { queryTimeoutMs: number; exportTimeoutMs: number },
) {
  const throttle = createThrottle(queries);
  const settings = settingsSql('set local', { ...QUERY_SETTINGS, statement_timeout: exportTimeoutMs });

  async function borrow() {
    const client = await current.connect(pool).catch((error) => {
      throw explain(error);
    });
    let held = true;
    function release(healthy: boolean): void {
      if (!held) return;
      held = false;
      client.release(!healthy);
    }
    return { client, release };
  }

  async function* copyOut(statement: Statement, values: Values, signal?: AbortSignal) {
    const began = performance.now();
    let broken: Error | undefined; // the first fault, which causes the later ones
    const copy = copyTo(`copy (${withLiterals(statement, values)}) to stdout`);
    const pieces = new PassThrough({ objectMode: true, highWaterMark: 2 }); // byte mode would join the pieces
    pieces.on('error', (error) => {
      broken ??= error;
    });
    const over = Promise.withResolvers<void>();
    copy.once('end', over.resolve).on('error', (error) => {
      over.resolve();
      pieces.destroy(error);
      copy.destroy(); // it would read data that belongs to pg
    });
    const { client, release } = await borrow();
    if (signal?.aborted) {
      release(true);
      throw signal.reason;
    }
    let cancelled: Promise<void> | undefined;
    const stop = (reason: Error) => {
      cancelled ??= broken ? Promise.resolve() : cancelStatement(client, over.promise);
      broken ??= reason;
      pieces.destroy(reason);
      copy.unpipe(pieces).resume(); // drop the rest, up to the end of the statement
      cancelled.then(() => release(false)); // not earlier: a pooler cancels only while the client is connected
    };
    const onAbort = () => stop(new Error('The export was aborted', { cause: signal?.reason }));
    signal?.addEventListener('abort', onAbort);
    const late = () => stop(new AppError('GATEWAY_TIMEOUT', 'The export took longer than allowed'));
    const limit = (ms: number) => setTimeout(late, ms + GRACE_MS);
    const whole = limit(exportTimeoutMs);
    let wait = limit(queryTimeoutMs); // for the next rows: a lock may block them. Paused while the reader works
    let done = false;
    try {
      await client.query(`begin read only; ${settings}`);
      if (pieces.destroyed) {
        over.resolve();
        throw broken; // stopped meanwhile: nothing would cancel a statement that starts now
      }
      client.query(copy).pipe(pieces);
      for await (const piece of pieces) {
        clearTimeout(wait);
        await throttle(piece.length, began);
        yield piece;
        wait = limit(queryTimeoutMs);
      }
      await client.query('commit');
      done = true;
    } catch (error) {
      current.learnFrom(broken ?? error, client);
      throw signal?.aborted ? signal.reason : explain(broken ?? error);
    } finally {
      clearTimeout(whole);
      clearTimeout(wait);
      signal?.removeEventListener('abort', onAbort);
      if (done) release(true);
      else stop(new Error('The reader stopped'));
    }
  }

  async function transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    { purpose = 'store', isRepeatable = false, schema }: TransactionOptions = {},
  ): Promise<Result> {
    const { client, release } = await borrow();
    const late = isRepeatable && setTimeout(() => release(false), REPEATABLE_FACTOR * queryTimeoutMs);
    let done = false;
    try {
      await client.query(`begin; ${settingsSql('set local', { ...TEXT, statement_timeout: 0 })}`);
      const run = runOnClient(client);
      const result = await work({
        ...queriesOf(run),
        run,
        async copy(csv, schema) {
          const stream = copyFrom(`${textIn(COPY_POINTS, schema)} stdin with (format csv)`);
          client.query(stream);
          await pipeline([csv], stream);
          return stream.rowCount;
        },
      });
      await client.query('commit');
      done = true;
      return result;
    } catch (error) {
      current.learnFrom(error, client);
      throw explain(await withRights(error, client, purpose, schema));
    } finally {
      if (late) clearTimeout(late);
      release(done); // closing the connection rolls back
    }
  }

  return { copyOut, transaction } satisfies Pick<Database, 'transaction' | 'copyOut'>;
}

/**
 * COPY takes no parameters. The text must contain each `$1`, `$2`, ... once and in order, as Drizzle writes them.
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
    textIn(statement.text),
  );
}
