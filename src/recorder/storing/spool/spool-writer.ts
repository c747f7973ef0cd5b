// Writes points to a spool as they are measured: in small segments, and in longer ones while segments pile up.
import { setTimeout as delay } from 'node:timers/promises';
import { addTime, createOnceAMinute, messageOf, type PointCount } from '../../../commands/progress.ts';
import { csvRow } from '../../../contract/point.ts';
import { type MeasuredPoint, overloadOf } from '../../../sound/measured-point.ts';
import type { RecordedAs } from '../periods/recorded-as.ts';
import type { Segment, Spool } from './spool.ts';

export interface SpoolWriterOptions {
  readonly spool: Spool;
  /** For live points: their spacing, and how much time the waiting ones may cover. Undefined if all may wait. */
  readonly live?: { readonly intervalMs: number; readonly mostMs: number } | undefined;
  readonly as?: RecordedAs | undefined;
  report(line: string): void;
}

export type SpoolWriter = ReturnType<typeof createSpoolWriter>;

const EVERY_MS = 250;
const LONGEST_MS = 5000;
/** Added to EVERY_MS per waiting segment, up to LONGEST_MS. A week without a database makes 120,000 files. */
const LONGER_BY_MS = 10;
const CAPACITY = 100_000;
const HURRY = 20_000;

export function createSpoolWriter({ spool, live, as, report }: SpoolWriterOptions) {
  const { folder } = spool;
  const closing = new AbortController();
  const written: PointCount = { count: 0 };
  const pending: MeasuredPoint[] = [];
  /** The segment being written. Its name stays the same until the write succeeds. */
  let batch: { readonly name: string; readonly points: readonly MeasuredPoint[] } | undefined;
  let last: Segment | undefined;
  /** The time of this live recorder's first point, where its period starts. */
  let since: string | undefined;
  let running: Promise<void> | undefined;
  let fault: unknown;
  /** Points dropped for newer ones since the last report. */
  let dropped: PointCount = { count: 0 };
  const sayingDropped = createOnceAMinute();

  const left = () => pending.length + (batch?.points.length ?? 0);

  async function writeSegment(points: readonly MeasuredPoint[], name: string): Promise<void> {
    const rows = points.map((point) => `${csvRow(point)}\n`);
    const head = as && { as: { ...as, since }, overload: overloadOf(points) };
    const segment = await spool.write(rows, { coversMs: live?.intervalMs, head }, name);
    if (segment && !(last && last.name > segment.name)) last = segment;
    for (const { time } of points) addTime(written, time);
  }

  async function write(): Promise<void> {
    batch ??= { name: spool.nextName(), points: pending.splice(0) };
    const { name, points } = batch;
    if (live) since ??= points[0]?.time;
    try {
      await writeSegment(points, name);
      batch = undefined;
      if (fault) report(`Writing points to ${folder} again.`);
      fault = undefined;
    } catch (error) {
      if (!fault)
        report(
          `Warning: cannot write points to ${folder}: ${messageOf(error)}. They wait in memory until a retry succeeds.`,
        );
      fault = error;
      const lost = pending.splice(0, Math.max(0, left() - CAPACITY));
      if (lost.length > 0)
        report(
          `Warning: dropped ${lost.length} points, ${lost[0]?.time} to ${lost.at(-1)?.time}, because ${folder} cannot be written: check its disk.`,
        );
    }
  }

  /** Drops the oldest live points beyond the limit. @returns how many segments wait */
  async function makeRoom({ mostMs }: { readonly mostMs: number }): Promise<number> {
    const segments = await spool.waiting();
    let coversMs = segments.reduce((sum, segment) => sum + segment.coversMs, 0);
    for (const segment of segments) {
      if (coversMs <= mostMs) break;
      if (segment.coversMs === 0) continue;
      try {
        for await (const _rows of spool.rows(segment, dropped)); // counts the rows
      } catch {
        // dropped even if it cannot be read
      }
      await spool.remove([segment]);
      coversMs -= segment.coversMs;
    }
    if (dropped.count > 0 && sayingDropped.isDue()) sayDropped();
    return segments.length;
  }

  function sayDropped(): void {
    const { count, first, last } = dropped;
    report(
      `Warning: dropped ${count} points, ${first} to ${last}: ${folder} has reached --spool-max. Bring the database back, or raise --spool-max.`,
    );
    dropped = { count: 0 };
  }

  async function run(): Promise<void> {
    while (left() > 0) {
      await write();
      if (closing.signal.aborted) return;
      const waiting = live ? await makeRoom(live).catch(() => 0) : 0;
      const isBehind = pending.length > HURRY && !fault;
      const ms = Math.min(LONGEST_MS, Math.max(EVERY_MS, LONGER_BY_MS * waiting));
      if (!isBehind) await delay(ms, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  return {
    /** Takes points, oldest first. Waits only if they come faster than the disk can write. */
    async add(points: readonly MeasuredPoint[]): Promise<void> {
      for (const point of points) pending.push(point);
      if (left() === 0) return;
      running ??= run().finally(() => {
        running = undefined;
      });
      if (pending.length > 2 * HURRY && !fault) await Promise.race([running, delay(20)]);
    },
    /**
     * Writes points as a segment of their own. They are on disk once this returns.
     *
     * @param key as in `spool.nextName`. @throws the disk error
     */
    keepNow: (points: readonly MeasuredPoint[], key?: string): Promise<void> =>
      writeSegment(points, spool.nextName(key)),
    pending: left,
    /** @returns the points written in total, and the last segment. @throws the disk error that lost points */
    async close(): Promise<{ written: PointCount; last: Segment | undefined }> {
      closing.abort();
      await running;
      if (left() > 0) await write();
      while (left() > 0 && !fault) await write();
      if (live) await makeRoom(live).catch(() => 0);
      if (dropped.count > 0) sayDropped();
      if (left() > 0) {
        report(`Warning: lost ${left()} points that could not be written to ${folder}: check its disk.`);
        throw fault;
      }
      return { written, last };
    },
  };
}
