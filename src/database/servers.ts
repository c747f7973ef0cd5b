// The servers behind one database, such as the workers of a Citus cluster. Each has connections of its own, so a frozen
// server delays only its own stations. Once it is known to be frozen, their queries fail at once.
import { AppError } from '../errors.ts';
import { unlessAborted } from '../signal.ts';
import type { Database, Log, Statement, Values } from './database.ts';
import { FROZEN, isAway, NotMigrated } from './faults.ts';

/** How often to look for answers. A busy event loop then delays a look, but does not make a server look frozen. */
const LOOK_MS = 250;
/** After so many looks without an answer, the server is asked something short; after so many more, it is frozen. */
const LOOKS = 4;
/** A statement that was answered in this time is short. */
const SHORT_MS = 100;

export type ServerDatabase = Database & Required<Pick<Database, 'copyOut' | 'pools'>>;

/** @param open opens connections. @returns a database that runs statements and transactions on connections for their `server` */
export function openServers(open: () => ServerDatabase, log: Log): ServerDatabase {
  const main = open();
  const servers = new Map<string, ServerDatabase>();
  function at(name: string | undefined): ServerDatabase {
    if (name === undefined) return main;
    const server = servers.get(name) ?? failingWhileFrozen(open(), name, log);
    servers.set(name, server);
    return server;
  }
  const all = () => [main, ...servers.values()];
  return {
    ...main,
    query: (statement, ...rest) => at(statement.server).query(statement, ...rest),
    copyOut: (statement, ...rest) => at(statement.server).copyOut(statement, ...rest),
    transaction: (work, options) => at(options?.server).transaction(work, options),
    pools: () => all().flatMap((db) => db.pools()),
    close: async () => void (await Promise.all(all().map((db) => db.close()))),
  };
}

function failingWhileFrozen(db: ServerDatabase, name: string, log: Log): ServerDatabase {
  let waiting = 0;
  /** Since the last answer. */
  let looks = 0;
  let looking: NodeJS.Timeout | undefined;
  /** What to ask a silent server: the latest short or refused statement, unless its station has moved. */
  let short: { readonly statement: Statement; readonly values: Values | undefined } | undefined;
  let isAsked = false;
  /** Aborted while the server is frozen. */
  let freezing = new AbortController();

  function freeze(): void {
    freezing.abort(new AppError('SERVICE_UNAVAILABLE', FROZEN));
    log.warn({ server: name }, 'A server does not answer: its stations get 503 until it does');
  }

  function noteAnswer(): void {
    looks = 0;
    if (!freezing.signal.aborted) return;
    freezing = new AbortController();
    log.info({ server: name }, 'The server answers again');
  }

  function look(): void {
    const known = short?.statement.server === name ? short : undefined;
    if (waiting === 0 && (looks === 0 || !known)) {
      clearInterval(looking);
      looking = undefined;
      if (!freezing.signal.aborted) looks = 0;
      return;
    }
    looks++;
    if (looks === 2 * LOOKS) freeze();
    if (looks < LOOKS || isAsked || !known) return;
    isAsked = true;
    ask(known.statement, known.values)
      .catch((error) => (isAway(error) && !(error instanceof NotMigrated) ? undefined : noteAnswer()))
      .finally(() => {
        isAsked = false;
      });
  }

  async function ask<Row>(statement: Statement<Row>, values?: Values, signal?: AbortSignal): Promise<Row[]> {
    const began = performance.now();
    waiting++;
    try {
      const rows = await db.query(statement, values, signal);
      noteAnswer();
      if (performance.now() - began < SHORT_MS) short = { statement, values };
      return rows;
    } finally {
      waiting--;
    }
  }

  return {
    ...db,
    async query(statement, values, signal) {
      // while it is frozen, what callers want now: the station of an earlier statement may be locked
      if (freezing.signal.aborted || short?.statement.server !== name) short = { statement, values };
      looking ??= setInterval(look, LOOK_MS).unref();
      freezing.signal.throwIfAborted();
      return unlessAborted(ask(statement, values, signal), freezing.signal);
    },
    pools: () => db.pools().map((pool) => ({ ...pool, name: `${pool.name} at ${name}` })),
  };
}
