// The servers behind one database, such as the workers of a Citus cluster. Each has connections of its own, so a frozen
// server delays only its own stations. Once it is known to be frozen, their queries fail at once.
import { AppError } from '../errors.ts';
import { unlessAborted } from '../signal.ts';
import type { Database, Log, Statement, Values } from './database.ts';
import { isAway, isSilence, isUnreachable } from './faults.ts';

/** A server that answers nothing for so long is frozen, if so many statements have waited all that time. */
const PATIENCE_MS = 2000;
const STUCK = 5;
const LOOK_MS = 250;

export type ServerDatabase = Database & Required<Pick<Database, 'copyOut' | 'pools'>>;

/** @param open opens connections. @returns a database that runs a statement on connections for its `server` */
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
    pools: () => all().flatMap((db) => db.pools()),
    close: async () => void (await Promise.all(all().map((db) => db.close()))),
  };
}

function failingWhileFrozen(db: ServerDatabase, name: string, log: Log): ServerDatabase {
  /** The statements under way, the oldest first. */
  const waiting = new Set<{ readonly since: number }>();
  let answeredAt = Number.NEGATIVE_INFINITY;
  let looking: NodeJS.Timeout | undefined;
  /** Aborted while the server is frozen. */
  let freezing = new AbortController();

  function freeze(): void {
    if (freezing.signal.aborted || performance.now() - answeredAt < PATIENCE_MS) return;
    freezing.abort(new AppError('SERVICE_UNAVAILABLE', "The station's server does not answer; try again"));
    log.warn({ server: name }, 'A server does not answer: its stations get 503 until it does');
  }

  function noteAnswer(): void {
    answeredAt = performance.now();
    if (!freezing.signal.aborted) return;
    freezing = new AbortController();
    log.info({ server: name }, 'The server answers again');
  }

  function look(): void {
    const stuck = [...waiting][STUCK - 1];
    if (stuck && performance.now() - stuck.since > PATIENCE_MS) freeze();
    if (waiting.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  async function ask<Row>(statement: Statement<Row>, values?: Values, signal?: AbortSignal): Promise<Row[]> {
    const one = { since: performance.now() };
    waiting.add(one);
    looking ??= setInterval(look, LOOK_MS).unref();
    try {
      const rows = await db.query(statement, values, signal);
      noteAnswer();
      return rows;
    } catch (error) {
      if (isSilence(error) || isUnreachable(error)) freeze();
      else if (!signal?.aborted && !isAway(error)) noteAnswer();
      throw error;
    } finally {
      waiting.delete(one);
    }
  }

  return {
    ...db,
    /** While the server is frozen, one statement stays under way to notice its end. The caller does not wait for it. */
    async query(statement, values, signal) {
      const { signal: frozen } = freezing;
      if (frozen.aborted && waiting.size > 0) throw frozen.reason;
      return unlessAborted(ask(statement, values, frozen.aborted ? undefined : signal), frozen);
    },
    pools: () => db.pools().map((pool) => ({ ...pool, name: `${pool.name} at ${name}` })),
  };
}
