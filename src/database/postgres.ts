// The driver for a PostgreSQL server, with or without TimescaleDB.
import { Socket } from 'node:net';
import pg from 'pg';
import { cancelStatement } from './cancel-statement.ts';
import { createCurrentSessions } from './current-sessions.ts';
import type { Pool, Statement, Values } from './database.ts';
import { valuesOf } from './drizzle.ts';
import { explain, isOfStatement, SILENT } from './faults.ts';
import { LastingClient } from './internals/pg.ts';
import { withRemedy } from './missing-rights.ts';
import { createCopies } from './postgres-copy.ts';
import { readBigint } from './read-bigint.ts';
import { createReadiness } from './readiness.ts';
import { retry } from './retry.ts';
import { textIn } from './schema.ts';
import type { ServerDatabase } from './servers.ts';
import { createSessions } from './session.ts';

export interface PostgresOptions {
  url: string;
  /** Connections for queries. Default 10. */
  poolSize?: number;
  /** How long a query may wait for a connection, in milliseconds. Default 1000. */
  poolWaitMs?: number;
  queryTimeoutMs: number;
  /** How long one export may run, a slow reader's pauses included, in milliseconds. */
  exportTimeoutMs: number;
  /** Most exports and imports at a time. Default 4. */
  copyPoolSize?: number;
  /** A server counts as dead if silent for the query time limit plus this, in milliseconds. Default 2000. */
  graceMs?: number;
  log?: { warn(fields: object, message: string): void };
}

/** Slots keep queries from waiting for each other, so a longer wait means that the server is away. */
const POOL_WAIT_MS = 1000;

/** The lifetime of a session, which caches every table that it has used: 1 MB per station. */
const SESSION_SECONDS = 3600;

/** Opens the pools; nothing connects before the first query. */
export function openPostgres(options: PostgresOptions): ServerDatabase {
  const { url, queryTimeoutMs, poolWaitMs = POOL_WAIT_MS, graceMs = 2000 } = options;
  const shared: pg.PoolConfig = {
    connectionString: url,
    application_name: 'audio-metrics',
    connectionTimeoutMillis: poolWaitMs,
    keepAlive: true,
    types: plainTypes(),
    maxLifetimeSeconds: SESSION_SECONDS,
    Client: LastingClient,
  };
  const sessions = createSessions(queryTimeoutMs);
  const pool = new pg.Pool({
    ...shared,
    max: options.poolSize ?? 10,
    onConnect: sessions.prepare,
    stream: () => impatientSocket(queryTimeoutMs + graceMs),
  });
  const copyPool = new pg.Pool({ ...shared, max: options.copyPoolSize ?? 4 });
  for (const each of [pool, copyPool]) {
    // without a listener, an idle connection that breaks would end the process
    each.on('error', ({ message, code }: Error & { code?: string }) => {
      if (message !== SILENT)
        options.log?.warn(
          { reason: message, code },
          'An idle database connection was lost; the next query opens another',
        );
    });
  }
  const current = createCurrentSessions([pool, copyPool]);
  let lastAnswer = Number.NEGATIVE_INFINITY;
  const load = { isBusy: () => pool.idleCount < pool.totalCount, lastAnswer: () => lastAnswer };
  const readiness = createReadiness(shared);
  let closed: Promise<unknown> | undefined;

  /** Runs once, on one connection. */
  async function run<Row>(statement: Statement<Row>, values: Values, signal?: AbortSignal): Promise<Row[]> {
    const client = await current.connect(pool);
    let answer: Promise<Row[]>;
    let cancelling: Promise<void> | undefined;
    const cancel = () => {
      cancelling = cancelStatement(client, answer);
    };
    let fault: unknown;
    try {
      signal?.throwIfAborted();
      const text = textIn(statement.text);
      answer = sessions.query(client, { ...statement, text, values: valuesOf(statement, values) });
      signal?.addEventListener('abort', cancel);
      return await answer;
    } catch (error) {
      fault = error;
      current.learnFrom(error, client);
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      await cancelling; // or the cancel could hit the next query of the connection
      client.release(fault instanceof Error && !signal?.aborted && !isOfStatement(fault));
    }
  }

  return {
    async query(statement, values = {}, signal) {
      try {
        return await retry(() => run(statement, values, signal), poolWaitMs, signal);
      } catch (error) {
        throw signal?.aborted ? signal.reason : explain(withRemedy(error));
      } finally {
        lastAnswer = performance.now();
      }
    },
    ...createCopies(copyPool, current, load, options),
    ready: readiness.check,
    pools: () => [usage('queries', pool), usage('copies', copyPool)],
    async close() {
      closed ??= Promise.all([pool.end(), copyPool.end(), readiness.close()]);
      await closed;
    },
  };
}

function usage(name: string, { options, totalCount, idleCount, waitingCount }: pg.Pool): Pool {
  return { name, max: options.max, inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

/** A socket that destroys itself after a silence. A pg timer per query would cost more than reading its rows. */
function impatientSocket(silenceMs: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(silenceMs, () => socket.destroy(new Error(SILENT)));
}

/** Keeps times as text, since a `Date` drops the microseconds. A bigint becomes a number if that is exact. */
function plainTypes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, readBigint);
  for (const oid of [pg.types.builtins.TIMESTAMPTZ, pg.types.builtins.TIMESTAMP])
    types.setTypeParser(oid, (text) => text);
  return types;
}
