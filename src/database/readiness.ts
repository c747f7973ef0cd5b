// Checks whether a server is ready: it must answer now, on a connection that no query occupies.
import type pg from 'pg';
import { AppError } from '../errors.ts';
import { explain } from './faults.ts';
import { LastingClient } from './internals/pg.ts';
import { withRights } from './missing-rights.ts';
import { READY_MS, withinDeadline } from './ready-deadline.ts';
import { retry } from './retry.ts';
import { assertMigrated, DEFAULT_JOURNAL, newestAppliedIn, newestMigration } from './schema-version.ts';

export function createReadiness(config: pg.ClientConfig) {
  const needed = newestMigration();
  let kept: LastingClient | undefined;
  let running: Promise<void> | undefined;
  let over = new AbortController();

  function discard(client: LastingClient): void {
    if (kept === client) kept = undefined;
    client.breakOff();
  }

  async function probe(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const isOpen = kept !== undefined;
    const client = kept ?? new LastingClient({ ...config, connectionTimeoutMillis: READY_MS });
    kept = client;
    try {
      if (!isOpen) await client.on('error', () => discard(client)).connect();
      const { rows } = await client.query<{ newest: unknown }>(newestAppliedIn(DEFAULT_JOURNAL));
      assertMigrated(rows[0]?.newest ?? null, needed);
    } catch (error) {
      const fault = await withRights(error, client, 'read');
      discard(client);
      throw fault;
    }
  }

  async function check(): Promise<void> {
    over = new AbortController();
    const { signal } = over;
    try {
      await withinDeadline(retry(() => probe(signal), READY_MS, signal));
    } catch (error) {
      over.abort();
      if (kept) discard(kept);
      const known = explain(error);
      if (known instanceof AppError && known.code === 'SERVICE_UNAVAILABLE') throw known;
      throw new AppError('SERVICE_UNAVAILABLE', 'The database cannot be read', { cause: error });
    }
  }

  return {
    /** Throws unless the server answers in time and is migrated. Concurrent calls share one check. */
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
