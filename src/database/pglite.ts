// The driver for PGlite, the embedded database: PostgreSQL in a worker of this process, in a folder or in memory, or
// through the process that holds the folder.
import { AppError } from '../errors.ts';
import { assertNotDemo, type DataFolder, holdFolder, type PointOrigin } from './data-folder.ts';
import type { Database, Log, RunStatement, Statement, Transaction, Values } from './database.ts';
import { queriesOf, valuesOf } from './drizzle.ts';
import { type Engine, openEngine } from './embedded/engine.ts';
import type { Answer, Request } from './embedded/messages.ts';
import { migrateEmbedded } from './embedded/migrate.ts';
import { connectToOwner } from './embedded/owner-socket.ts';
import { DatabaseStopped, isSessionLost, orFullDisk, whyClosed } from './embedded/stopped.ts';
import { explain } from './faults.ts';
import { withinDeadline } from './ready-deadline.ts';
import { COPY_POINTS, textIn } from './schema.ts';
import { TEXT_SETTINGS } from './session.ts';
import { listStations } from './station-schemas.ts';

export interface PgliteOptions {
  /** The folder of the data, created if missing. Without it everything is in memory. */
  dataDir?: string | undefined;
  /** The origin of the points to store, if any: a folder with points of the other origin is refused. */
  points?: PointOrigin | undefined;
  /** In memory: the dump of a data folder to start from. */
  template?: string | undefined;
  /** The time limit of a read in milliseconds; none by default. Ignored in memory. */
  queryTimeoutMs?: number | undefined;
  /** Receives a warning if the folder was open to other users. */
  log?: Log | undefined;
}

/** Brings the schema up to date. @throws an Error with the folder and the remedy if the folder is in use or unusable */
export async function openPglite(options: PgliteOptions = {}): Promise<PgliteDatabase> {
  const { dataDir, points, template, queryTimeoutMs, log } = options;
  const folder =
    dataDir === undefined ? undefined : holdFolder(dataDir, points, (line) => log?.warn({}, line));
  let engine: Engine | undefined;
  try {
    engine = await openEngine({
      settings: TEXT_SETTINGS,
      ...(folder && { files: folder.files, isNew: !folder.isOld }),
      ...(template !== undefined && { template }),
    });
    await migrateEmbedded(engine);
    folder?.settled();
    const db = driver(engine, folder, queryTimeoutMs);
    for (const { name } of await listStations(db))
      await migrateEmbedded(engine, name).catch((err) =>
        log?.warn(
          { err },
          `Cannot migrate the station ${name}, so only the other stations are served: fix the cause, and restart`,
        ),
      );
    return db;
  } catch (error) {
    await engine?.kill();
    folder?.release();
    const isBroken = engine === undefined && folder?.isOld;
    throw new Error(`The embedded database in ${folder?.files ?? 'memory'} cannot be opened`, {
      cause: isBroken ? whyClosed(error, folder.files) : orFullDisk(error, folder?.files),
    });
  }
}

/** Opens a database through the process that holds its folder. @returns undefined if that process serves no others */
export async function openOwned(folder: string, points?: PointOrigin): Promise<PgliteDatabase | undefined> {
  if (points === 'measured') assertNotDemo(folder);
  const engine = await connectToOwner(folder);
  return engine && driver(engine, undefined, undefined);
}

export interface PgliteDatabase extends Database {
  readonly run: RunStatement;
}

function driver(engine: Engine, folder: DataFolder | undefined, limitMs: number | undefined): PgliteDatabase {
  const tasks: (() => Promise<void>)[] = [];
  let isServing = false;
  let stopped: DatabaseStopped | undefined;
  let closing: Promise<void> | undefined;
  let checking: Promise<unknown> | undefined;

  async function serve(): Promise<void> {
    if (isServing) return;
    isServing = true;
    for (let task = tasks.shift(); task; task = tasks.shift()) await task();
    isServing = false;
  }

  /** Runs one task after another in the only session. Once the session is lost, refuses all: answers would be wrong. */
  async function enqueue<Result>(
    work: () => Promise<Result>,
    signal?: AbortSignal,
    isNext = false,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (closing) throw new AppError('SERVICE_UNAVAILABLE', 'The embedded database is closed');
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal?.reason);
      signal?.addEventListener('abort', leave);
      const task = async () => {
        try {
          if (stopped) throw stopped;
          if (!signal?.aborted) resolve(await work());
        } catch (error) {
          if (!stopped && isSessionLost(error)) {
            stopped = new DatabaseStopped(orFullDisk(error, folder?.files));
            await engine.kill();
          }
          reject(stopped ?? explain(error));
        }
        signal?.removeEventListener('abort', leave);
      };
      if (isNext) tasks.unshift(task);
      else tasks.push(task);
      void serve();
    });
  }

  /** Rejects at once if the caller aborts; a statement that has begun runs to its end or time limit. */
  function read<Row>(request: Request, signal?: AbortSignal, isNext?: boolean): Promise<Answer<Row>> {
    return enqueue(() => engine.send<Row>(request, limitMs), signal, isNext);
  }

  async function transact<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    await engine.send({ kind: 'begin' });
    try {
      const run: RunStatement = async <Row>(...args: Parameters<RunStatement>) =>
        (await engine.send<Row>(requestOf(...args))).rows;
      const result = await work({
        ...queriesOf(run),
        run,
        async copy(csv, schema) {
          const text = `${textIn(COPY_POINTS, schema)} '/dev/blob' with (format csv)`;
          return (await engine.send({ kind: 'copy', text, schema, csv })).affectedRows;
        },
      });
      await engine.send({ kind: 'commit' });
      return result;
    } catch (error) {
      await engine.send({ kind: 'rollback' }).catch(() => {});
      throw error;
    }
  }

  return {
    async run<Row>(...args: Parameters<RunStatement>) {
      return (await enqueue(() => engine.send<Row>(requestOf(...args)))).rows;
    },

    async query<Row>(statement: Statement<Row>, values: Values = {}, signal?: AbortSignal) {
      return (await read<Row>(requestOf(statement.text, valuesOf(statement, values)), signal)).rows;
    },

    transaction: (work) => enqueue(() => transact(work)),

    async ready() {
      // the database only has to answer: it was migrated when opened, and no other process changes it
      checking ??= read({ kind: 'query', text: 'select 1', values: [] }, undefined, true).finally(() => {
        checking = undefined;
      });
      try {
        await withinDeadline(checking);
      } catch (error) {
        throw error instanceof AppError
          ? error
          : new AppError('SERVICE_UNAVAILABLE', 'The database cannot be read', { cause: error });
      }
    },

    close() {
      closing ??= new Promise<void>((resolve) => {
        tasks.push(() => engine.close().then(resolve));
        void serve();
      }).finally(() => folder?.release());
      return closing;
    },
  };
}

function requestOf(...[text, values]: Parameters<RunStatement>): Request {
  const ofConnection = textIn(text);
  return values ? { kind: 'query', text: ofConnection, values } : { kind: 'script', text: ofConnection };
}
