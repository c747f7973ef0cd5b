// Bounds what waits in a spool: the oldest points of live recorders make room for new ones, and it is said.
import { createOnceAMinute } from '../../once-a-minute.ts';
import type { PointCount } from '../../progress.ts';
import type { Segment } from './segment.ts';
import type { Spool } from './spool.ts';

interface Bound {
  /** Removes the oldest of what is too much. @returns how many segments wait */
  enforce(): Promise<number>;
  /** Says what was removed since it was said last. */
  report(): void;
}

/**
 * @param mostMs how much time the points of live recorders cover at most
 * @param say shows a line to the user
 */
export function createBound(spool: Spool, mostMs: number, say: (line: string) => void): Bound {
  let dropped: PointCount = { count: 0 };
  const saying = createOnceAMinute();

  function report(): void {
    const { count, first, last } = dropped;
    if (count === 0) return;
    say(
      `Warning: dropped ${count} points, ${first} to ${last}: no more than --spool-max may wait in ${spool.folder}.`,
    );
    dropped = { count: 0 };
  }

  async function drop(segment: Segment): Promise<void> {
    const read: PointCount = { count: 0 };
    try {
      for await (const _rows of spool.rows(segment, read)); // so that its times are told
    } catch {
      // it is dropped either way
    }
    await spool.remove([segment]);
    dropped.count += segment.points;
    dropped.first ??= read.first;
    dropped.last = read.last ?? dropped.last;
  }

  return {
    report,
    async enforce() {
      const segments = await spool.waiting();
      let coversMs = segments.reduce((sum, segment) => sum + segment.coversMs, 0);
      for (const segment of segments) {
        if (coversMs <= mostMs) break;
        if (segment.coversMs === 0) continue;
        await drop(segment);
        coversMs -= segment.coversMs;
      }
      if (dropped.count > 0 && saying.isDue()) report();
      return segments.length;
    },
  };
}
