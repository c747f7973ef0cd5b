// Stores points while they are measured: in small batches, with retries when the database is away.
import { setTimeout as delay } from 'node:timers/promises';
import { csvRow, type Point } from '../contract/point.ts';
import { DatabaseStopped } from '../db/embedded/stopped.ts';
import { reasonOf } from '../db/unreachable-reason.ts';
import { AppError } from '../errors.ts';
import { addPoints, type PointCount } from './progress.ts';

interface PointWriterOptions {
  /** Stores rows of CSV, all or none, as `Database.copyIn` does. */
  store(csv: AsyncIterable<string>): Promise<number>;
  /** Shows a line to the user. */
  report(line: string): void;
  /** How many points may wait for the database before the oldest are dropped (default 100,000). */
  capacity?: number;
  /** The time between two batches (default 500). */
  everyMs?: number;
  /** How long `close` keeps trying when the database is away (default 15,000). */
  patienceMs?: number;
}

interface PointWriter {
  /**
   * Takes points, oldest first. Resolves at once while sound arrives in real time. Waits when points arrive
   * faster than they can be stored, but never for a database that is away.
   *
   * @throws the error that ended storing for good
   */
  add(points: readonly Point[]): Promise<void>;
  /**
   * Stores the points that wait.
   *
   * @returns how many points were stored in all, and the times of the first and the last
   * @throws the error that ended storing for good
   */
  close(): Promise<PointCount>;
}

const BATCH = 10_000;
const LONGEST_WAIT_MS = 5000;

/**
 * Builds a writer. After SERVICE_UNAVAILABLE or GATEWAY_TIMEOUT it sends the same points again until they are
 * stored. A connection that breaks during the commit can thus store a batch twice, but never lose it.
 */
export function createPointWriter(options: PointWriterOptions): PointWriter {
  const { store, report, capacity = 100_000, everyMs = 500, patienceMs = 15_000 } = options;
  const closing = new AbortController();
  const total: PointCount = { count: 0 };
  let waiting: Point[] = [];
  let draining: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  let failures = 0;
  let givenUp: { count: number; first: string; last: string } | undefined;

  /** Stores batch after batch until nothing waits. */
  async function drain(): Promise<void> {
    let deadline = Number.POSITIVE_INFINITY;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      try {
        await store(rows(batch));
      } catch (error) {
        waiting = batch.concat(waiting);
        if (closing.signal.aborted) deadline = Math.min(deadline, Date.now() + patienceMs);
        if (!mayPass(error) || Date.now() >= deadline) throw error;
        await standBy(error);
        continue;
      }
      if (failures > 0) report('The database is back; the points that waited are being stored.');
      failures = 0;
      addPoints(total, batch);
      if (waiting.length < BATCH && !closing.signal.aborted) await pause(everyMs);
    }
  }

  async function standBy(error: AppError): Promise<void> {
    failures += 1;
    giveUpOldest();
    const because = reasonOf(error);
    if (failures === 1)
      report(
        `Warning: ${error.message}${because === error.message ? '' : ` (${because})`}. Trying again; points waiting: ${waiting.length}.`,
      );
    reportGivenUp();
    await pause(closing.signal.aborted ? everyMs : Math.min(LONGEST_WAIT_MS, everyMs * 2 ** (failures - 1)));
  }

  function giveUpOldest(): void {
    const lost = waiting.splice(0, Math.max(0, waiting.length - capacity));
    const [first, last] = [lost[0], lost.at(-1)];
    if (first && last)
      givenUp = {
        count: (givenUp?.count ?? 0) + lost.length,
        first: givenUp?.first ?? first.time,
        last: last.time,
      };
  }

  function reportGivenUp(): void {
    if (!givenUp) return;
    const { count, first, last } = givenUp;
    report(`Warning: dropped ${count} points, ${first} to ${last}: no more than ${capacity} can wait.`);
    givenUp = undefined;
  }

  /** Waits; a call of `close` ends a wait that is under way. */
  async function pause(ms: number): Promise<void> {
    const isClosing = closing.signal.aborted;
    await delay(ms, undefined, isClosing ? {} : { signal: closing.signal }).catch(() => {});
  }

  function start(): Promise<void> {
    draining ??= drain()
      .catch((error) => {
        failure = { error };
      })
      .finally(() => {
        draining = undefined;
      });
    return draining;
  }

  return {
    async add(points) {
      if (failure) throw failure.error;
      for (const point of points) waiting.push(point);
      if (waiting.length > capacity) giveUpOldest();
      while (waiting.length > 0 && !failure) {
        const drained = start();
        if (waiting.length < 2 * BATCH || failures > 0) return;
        await Promise.race([drained, delay(20)]);
      }
    },
    async close() {
      closing.abort();
      while (waiting.length > 0 && !failure) await start();
      await draining;
      reportGivenUp();
      if (failure) {
        if (waiting.length > 0) report(`Warning: ${waiting.length} points could not be stored.`);
        throw failure.error;
      }
      return total;
    },
  };
}

function mayPass(error: unknown): error is AppError {
  return (
    error instanceof AppError &&
    !(error instanceof DatabaseStopped) &&
    (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'GATEWAY_TIMEOUT')
  );
}

async function* rows(points: readonly Point[]): AsyncGenerator<string> {
  yield points.map((point) => `${csvRow(point)}\n`).join('');
}
