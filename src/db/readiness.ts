// Readiness: whether a server answers now, asked on a connection that no query occupies.
import type pg from 'pg';
import { AppError } from '../errors.ts';
import { explain, isPassing } from './faults.ts';
import { LastingClient } from './internals/pg.ts';
import { withRights } from './missing-rights.ts';
import { READY_MS, withinDeadline } from './ready-deadline.ts';
import { assertMigrated, NEWEST_APPLIED, newestMigration } from './schema-version.ts';

export function createReadiness(config: pg.ClientConfig) {
  const needed = newestMigration();
  let kept: LastingClient | undefined;
  let running: Promise<void> | undefined;
  let over = new AbortController();

  function discard(client: LastingClient): void {
    if (kept === client) kept = undefined;
    client.breakOff();
  }

  async function connect(): Promise<LastingClient> {
    const client = new LastingClient({ ...config, connectionTimeoutMillis: READY_MS });
    kept = client;
    client.on('error', () => discard(client));
    await client.connect().catch(async (error) => {
      discard(client);
      throw await withRights(error, client, 'read');
    });
    return client;
  }

  async function ask(): Promise<void> {
    const client = kept ?? (await connect());
    const { rows } = await client.query<{ newest: unknown }>(NEWEST_APPLIED).catch(async (error) => {
      throw await withRights(error, client, 'read');
    });
    assertMigrated(rows[0]?.newest ?? null, needed);
  }

  /** Once more on a new connection, where the kept one was of no use and the check is not over. */
  async function askOnCurrent(signal: AbortSignal): Promise<void> {
    const before = kept;
    await ask().catch(async (error) => {
      if (!before || !isPassing(error) || signal.aborted) throw error;
      discard(before);
      await ask();
    });
  }

  async function check(): Promise<void> {
    over = new AbortController();
    try {
      await withinDeadline(askOnCurrent(over.signal));
    } catch (error) {
      over.abort();
      if (kept) discard(kept);
      const known = explain(error);
      if (known instanceof AppError && known.code === 'SERVICE_UNAVAILABLE') throw known;
      throw new AppError('SERVICE_UNAVAILABLE', 'The database cannot be read', { cause: error });
    }
  }

  return {
    /** Throws unless the server answers in time and is migrated. Calls at the same time share one check. */
    check(): Promise<void> {
      running ??= check().finally(() => {
        running = undefined;
      });
      return running;
    },
    async close() {
      over.abort();
      if (kept) discard(kept);
    },
  };
}
