// Sends requests to the worker of the embedded database, and replaces the worker when a statement takes too long.
import { Worker } from 'node:worker_threads';
import { AppError, TOOK_TOO_LONG } from '../../errors.ts';
import type { Answer, EngineOptions, FaultReply, Reply, Request } from './messages.ts';
import { WorkerEnded } from './stopped.ts';

/** The database as one session, in a worker of this process or through the socket of its owner. */
export interface Engine {
  /**
   * One request at a time.
   *
   * @param limitMs the time limit in milliseconds; ignored in memory and through a socket
   * @throws AppError GATEWAY_TIMEOUT after the limit; WorkerEnded if the database is gone
   */
  send<Row>(request: Request, limitMs?: number): Promise<Answer<Row>>;
  close(): Promise<void>;
  kill(): Promise<void>;
}

/** @returns the error that the other side caught. An `AppError` keeps its class and its cause. */
export function errorOf({ message, fields, cause }: FaultReply): Error {
  const { code } = fields;
  const explained = (['SERVICE_UNAVAILABLE', 'GATEWAY_TIMEOUT'] as const).find((each) => each === code);
  if (!explained) return Object.assign(new Error(message), fields);
  return new AppError(explained, message, cause && { cause: errorOf(cause) });
}

/** Opens the database in a worker, and creates it if it is missing. */
export async function openEngine({ isNew, ...opening }: EngineOptions): Promise<Engine> {
  if (isNew) await make(opening);
  let session = await openSession(opening);
  let reopening: Promise<void> | undefined;

  async function reopen(): Promise<void> {
    await session.kill();
    session = await openSession(opening);
  }

  return {
    async send<Row>(request: Request, limitMs?: number) {
      await reopening;
      let late: AppError | undefined;
      // PGlite cannot cancel a statement, so a time limit ends the worker. A new one recovers in about a second.
      // A client that disconnects does not end the worker, or it could keep the database reopening.
      const end = () => {
        late = new AppError('GATEWAY_TIMEOUT', TOOK_TOO_LONG);
        reopening = reopen().catch((cause) => {
          throw new WorkerEnded('The database could not be reopened', { cause });
        });
        reopening.catch(() => {}); // every later request reports it
      };
      const timer = opening.files !== undefined && limitMs !== undefined && setTimeout(end, limitMs);
      try {
        return await session.send<Row>(request);
      } catch (error) {
        throw late ?? error;
      } finally {
        if (timer) clearTimeout(timer);
      }
    },

    async close() {
      await reopening?.catch(() => {});
      await session.send({ kind: 'close' }).catch(() => {}); // stored points are safe without it
      await session.kill();
    },

    kill: () => session.kill(),
  };
}

/** Creates the files in a separate worker: its 400 MB of memory are freed when it ends. */
async function make(opening: EngineOptions): Promise<void> {
  const session = await openSession({ ...opening, isNew: true });
  await session.send({ kind: 'close' });
  await session.kill();
}

async function openSession(opening: EngineOptions) {
  // without the options of this process: a worker that loads a file refuses some of them
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: opening,
    execArgv: [],
    ...(opening.isNew && { resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 } }),
  });
  let cause: Error | undefined;
  let hasEnded = false;
  worker.on('error', (error) => {
    cause = error;
  });
  worker.once('exit', () => {
    hasEnded = true;
  });

  /** Waits for the answer to the next request. Only this wait keeps the process alive. */
  function answer<Row>(): Promise<Answer<Row>> {
    return new Promise((resolve, reject) => {
      const lost = () => reject(new WorkerEnded('The worker has ended', { cause }));
      if (hasEnded) return lost();
      worker.ref();
      worker.once('exit', lost);
      worker.once('message', (reply: Reply<Row>) => {
        worker.off('exit', lost);
        worker.unref();
        if (reply.kind === 'answer') resolve(reply);
        else reject(errorOf(reply));
      });
    });
  }

  await answer().catch(async (error) => {
    await worker.terminate();
    throw error;
  });
  return {
    send<Row>(request: Request) {
      const answered = answer<Row>();
      worker.postMessage(request);
      return answered;
    },
    async kill() {
      await worker.terminate();
    },
  };
}
