// Whether a server can answer now, asked on a connection that no query can occupy.
import pg from 'pg';
import { AppError } from '../errors.ts';
import { explain } from './faults.ts';
import { assertMigrated, NEWEST_APPLIED, newestMigration } from './migrations.ts';

/** Below the second that a probe waits, so that the answer itself still arrives within it. */
const DEADLINE_MS = 900;

export interface Readiness {
  /** Throws unless the server answers in time and is migrated. Calls at the same time share one check. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export function createReadiness(config: pg.ClientConfig): Readiness {
  const needed = newestMigration();
  let kept: pg.Client | undefined;
  let running: Promise<void> | undefined;

  function discard(client: pg.Client): void {
    if (kept === client) kept = undefined;
    // ends a connection in whatever state it is; a farewell would wait for a server that hangs
    client.connection.stream.destroy();
  }

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...config, connectionTimeoutMillis: DEADLINE_MS });
    kept = client;
    client.on('error', () => discard(client));
    await client.connect();
    return client;
  }

  async function ask(): Promise<void> {
    const client = kept ?? (await connect());
    const { rows } = await client.query<{ newest: unknown }>(NEWEST_APPLIED);
    assertMigrated(rows[0]?.newest ?? null, needed);
  }

  async function check(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new AppError('SERVICE_UNAVAILABLE', 'The database did not answer in time')),
        DEADLINE_MS,
      );
    });
    try {
      await Promise.race([ask(), deadline]);
    } catch (error) {
      if (kept) discard(kept);
      const known = explain(error);
      if (known instanceof AppError && known.code === 'SERVICE_UNAVAILABLE') throw known;
      throw new AppError('SERVICE_UNAVAILABLE', 'The database cannot be read', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    check() {
      running ??= check().finally(() => {
        running = undefined;
      });
      return running;
    },
    async close() {
      if (kept) discard(kept);
    },
  };
}
