// Writes points to a spool while they are measured: in small segments while these are taken, in longer ones while they wait.
import { setTimeout as delay } from 'node:timers/promises';
import { csvRow, type Point } from '../../../contract/point.ts';
import { addPoints, messageOf, type PointCount } from '../../progress.ts';
import type { RecordedAs } from '../periods/recorded-as.ts';
import { createBound } from './bound-spool.ts';
import type { Segment } from './segment.ts';
import type { Spool } from './spool.ts';

interface SpoolWriterOptions {
  readonly spool: Spool;
  /** How much time points of a live recorder may cover that wait, and each of them; undefined: all may wait. */
  readonly live?: { readonly intervalMs: number; readonly mostMs: number } | undefined;
  /** How they are recorded. */
  readonly as?: RecordedAs | undefined;
  /** Shows a line to the user. */
  report(line: string): void;
}

export interface SpoolWriter {
  /** Takes points, oldest first. Waits only where they come faster than a disk takes them. */
  add(points: readonly Point[]): Promise<void>;
  /** How many points are not written yet. */
  pending(): number;
  /**
   * Writes what is left.
   *
   * @returns what was written, and its last segment
   * @throws the fault of the disk, which lost points
   */
  close(): Promise<{ written: PointCount; last: Segment | undefined }>;
}

/** The least time between two segments, and the longest. */
const EVERY_MS = 250;
const LONGEST_MS = 5000;
/** For each segment that waits. A week away at five seconds makes 120,000 files. */
const LONGER_BY_MS = 10;
/** How many points may wait in memory for a disk that is full. */
const CAPACITY = 100_000;
const HURRY = 20_000;

export function createSpoolWriter({ spool, live, as, report }: SpoolWriterOptions): SpoolWriter {
  const closing = new AbortController();
  const written: PointCount = { count: 0 };
  const bound = live && createBound(spool, live.mostMs, report);
  const pending: Point[] = [];
  /** What is being written: until that succeeds, under one name. */
  let batch: { readonly name: string; readonly points: readonly Point[] } | undefined;
  let last: Segment | undefined;
  /** Time of the first point of this live recorder: its period starts there. */
  let since: string | undefined;
  let running: Promise<void> | undefined;
  let fault: { error: unknown } | undefined;

  const left = () => pending.length + (batch?.points.length ?? 0);

  async function write(): Promise<void> {
    batch ??= { name: spool.nextName(), points: pending.splice(0) };
    const { name, points } = batch;
    if (live) since ??= points[0]?.time;
    try {
      last = await spool.write(
        points.map((point) => `${csvRow(point)}\n`),
        { coversMs: live?.intervalMs, as: as && { ...as, since } },
        name,
      );
      batch = undefined;
      addPoints(written, points);
      if (fault) report(`Points are written to ${spool.folder} again.`);
      fault = undefined;
    } catch (error) {
      if (!fault)
        report(
          `Warning: ${spool.folder} takes no points: ${messageOf(error)}. Trying again; they wait in memory.`,
        );
      fault = { error };
      const lost = pending.splice(0, Math.max(0, left() - CAPACITY));
      if (lost.length > 0)
        report(`Warning: dropped ${lost.length} points, ${lost[0]?.time} to ${lost.at(-1)?.time}.`);
    }
  }

  /** Writes until nothing is pending. */
  async function run(): Promise<void> {
    while (left() > 0) {
      await write();
      if (closing.signal.aborted) return;
      const waiting = bound ? await bound.enforce().catch(() => 0) : 0;
      const isBehind = pending.length > HURRY && !fault;
      const ms = Math.min(LONGEST_MS, Math.max(EVERY_MS, LONGER_BY_MS * waiting));
      if (!isBehind) await delay(ms, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  function start(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    async add(points) {
      for (const point of points) pending.push(point);
      if (left() === 0) return;
      const done = start();
      if (pending.length > 2 * HURRY && !fault) await Promise.race([done, delay(20)]);
    },
    pending: left,
    async close() {
      closing.abort();
      await running;
      let isFirst = true;
      for (; left() > 0 && (isFirst || !fault); isFirst = false) await write();
      await bound?.enforce().catch(() => 0);
      bound?.report();
      if (left() > 0) {
        report(`Warning: ${left()} points could not be written.`);
        throw fault?.error;
      }
      return { written, last };
    },
  };
}
