// The driver for PGlite, the embedded database: PostgreSQL inside this process, in a folder or in memory.
import { PGlite, types } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { AppError } from '../errors.ts';
import { nextTurn } from '../load/event-loop-queue.ts';
import type { Signal } from '../signal.ts';
import { rowsOfCopy } from './binary-rows.ts';
import { COPY_POINTS, csvSource } from './copy-in.ts';
import { type DataFolder, holdFolder, type PointOrigin } from './data-folder.ts';
import type { Database, Statement, Values } from './database.ts';
import { DatabaseStopped, isSessionLost, orFullDisk } from './embedded-stopped.ts';
import { explain } from './faults.ts';
import { withinDeadline } from './ready-deadline.ts';
import { MIGRATIONS_FOLDER } from './schema-version.ts';
import { TEXT_SETTINGS } from './session.ts';
import { readBigint, valuesOf, withLiterals } from './statement-values.ts';

export interface PgliteOptions {
  /** The folder to keep the data in, made when missing. Without it everything is in memory. */
  dataDir?: string | undefined;
  /** The origin of the points to be stored, if any: a folder with points of the other origin is refused. */
  points?: PointOrigin | undefined;
  /** A dump of a data folder to start from, in memory. */
  template?: Blob | undefined;
}

/** How much CSV is stored at a time: bounds the memory of an import. */
const SLICE_CHARS = 4 * 1024 * 1024;

/**
 * Opens the embedded database and brings its schema up to date.
 *
 * @throws an Error that names the folder and says what to do, where it is in use or cannot be used
 */
export async function openPglite(options: PgliteOptions = {}): Promise<PgliteDatabase> {
  const folder = options.dataDir === undefined ? undefined : holdFolder(options.dataDir, options.points);
  let pglite: PGlite | undefined;
  try {
    pglite = await PGlite.create({
      ...(folder && { dataDir: folder.files }),
      ...(options.template && { loadDataDir: options.template }),
      parsers: {
        [types.INT8]: readBigint,
        [types.TIMESTAMPTZ]: (text) => text,
        [types.TIMESTAMP]: (text) => text,
      },
    }).catch((error) => {
      throw new Error(`The embedded database in ${folder?.files ?? 'memory'} cannot be opened`, {
        cause: orFullDisk(error, folder?.files),
      });
    });
    await pglite.exec(TEXT_SETTINGS);
    await migrate(drizzle(pglite), { migrationsFolder: MIGRATIONS_FOLDER });
    folder?.settled();
    return driver(pglite, folder);
  } catch (error) {
    await pglite?.close().catch(() => {});
    folder?.release();
    if (isSessionLost(error)) throw new DatabaseStopped(orFullDisk(error, folder?.files));
    throw error;
  }
}

export interface PgliteDatabase extends Database {
  /** For what only the owner of the database does. */
  readonly pglite: PGlite;
}

function driver(pglite: PGlite, folder: DataFolder | undefined): PgliteDatabase {
  let last: Promise<unknown> = Promise.resolve();
  let stopped: DatabaseStopped | undefined;

  /** Runs one statement. Refuses all once the session is lost: its answers would be wrong. */
  async function run<Result>(statement: () => Promise<Result>): Promise<Result> {
    try {
      if (stopped) throw stopped;
      const result = await statement();
      if (stopped) throw stopped;
      return result;
    } catch (error) {
      if (isSessionLost(error)) stopped ??= new DatabaseStopped(orFullDisk(error, folder?.files));
      throw stopped ?? explain(error);
    }
  }

  /** A statement that runs cannot be cancelled, because it blocks the process: so each can leave while it waits here. */
  function inTurn<Answer>(signal: Signal | undefined, ask: () => Promise<Answer>): Promise<Answer> {
    const answer = last.then(async () => {
      await nextTurn(); // else what is answered leaves only when nothing more is asked
      return run(async () => {
        signal?.throwIfAborted();
        return ask();
      });
    });
    last = answer.catch(() => {});
    return answer;
  }

  return {
    pglite,

    async query<Row>(statement: Statement, values: Values = {}, signal?: Signal): Promise<Row[]> {
      return inTurn(signal, async () => {
        return (await pglite.query<Row>(statement.text, valuesOf(statement, values))).rows;
      });
    },

    // by COPY: PGlite delivers each row of a query by a call of its own
    readRows(statement, values = {}, signal) {
      return inTurn(signal, async () => {
        const copy = `copy (${withLiterals(statement, values)}) to '/dev/blob' with (format binary)`;
        const { blob } = await pglite.query(copy).catch(async (error) => {
          await pglite.query('select').catch(() => {}); // clears what was written: the next COPY would begin with it
          throw error;
        });
        if (!blob) throw new Error('A COPY gave nothing');
        return rowsOfCopy(Buffer.from(await blob.arrayBuffer()));
      });
    },

    async copyIn(csv) {
      const source = csvSource(csv);
      try {
        return await run(() =>
          pglite.transaction(async (tx) => {
            let stored = 0;
            for await (const slice of slices(source.csv)) {
              const blob = new Blob([slice]);
              const copied = await run(() =>
                tx.query(`${COPY_POINTS} '/dev/blob' with (format csv)`, [], { blob }),
              );
              stored += copied.affectedRows ?? 0;
            }
            return stored;
          }),
        );
      } catch (error) {
        throw source.failure ? source.failure.error : explain(error);
      }
    },

    async ready() {
      // it was migrated at opening, and nobody else changes it: it only has to answer
      try {
        await withinDeadline(run(() => pglite.query('select 1')));
      } catch (error) {
        throw error instanceof AppError
          ? error
          : new AppError('SERVICE_UNAVAILABLE', 'The database cannot be read', { cause: error });
      }
    },

    async close() {
      try {
        if (!pglite.closed) await pglite.close();
      } finally {
        folder?.release();
      }
    },
  };
}

/** Cuts CSV into slices of whole lines. */
async function* slices(csv: AsyncIterable<string>): AsyncGenerator<string> {
  let held: string[] = [];
  let length = 0;
  for await (const piece of csv) {
    held.push(piece);
    length += piece.length;
    if (length < SLICE_CHARS) continue;
    const text = held.join('');
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) throw new Error('The text has a line too long to be a point');
    yield text.slice(0, end);
    held = [text.slice(end)];
    length = text.length - end;
  }
  if (length > 0) yield held.join('');
}
