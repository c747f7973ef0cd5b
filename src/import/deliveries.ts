// Stores deliveries, such as posts: small tables whose points are on disk before their senders hear of it.
import { hash } from 'node:crypto';
import { messageOfFault } from '../commands/fault.ts';
import { arrivingAt } from '../commands/times/log-clock.ts';
import { createTimeReader } from '../commands/times/time-format.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { hasTime } from './column-choice.ts';
import type { ImportOptions } from './import-options.ts';
import { openKeeping } from './keep-by-station.ts';
import { createLineReader, type LineRead } from './line-reader.ts';

export interface Delivery {
  readonly body: Uint8Array;
  /** When it arrived, canonical: the time of lines without one, also in a retry. */
  readonly at: string;
  /** Where it came from, such as `the topic garden/level`. */
  readonly from: string;
  /** The value that names its station. Undefined if a column does, or if all points have one station. */
  readonly of?: string | undefined;
  /** Identifies a repeat. By default the body does, if each of its lines has a time. */
  readonly key?: string | undefined;
  /** Random. Identifies retries of a delivery for several stations, some of which may have their points already. */
  readonly attempts?: string | undefined;
}

/** @throws what `keepPoints` throws */
export async function openDeliveries(options: ImportOptions, io: RecorderIo) {
  const keeping = await openKeeping(options, io);
  const { layout, check } = keeping;
  const haveTimes = !layout || hasTime(layout.columns);
  const decoder = new TextDecoder(layout?.encoding);

  function read(body: Uint8Array, at: string): LineRead[] {
    const log = layout && { ...layout, check };
    const times = log && createTimeReader(log.timeFormat, log, arrivingAt(Date.parse(at)));
    const readLines = createLineReader(layout, check, haveTimes ? times : { read: () => at });
    const lines = decoder.decode(body).split('\n');
    return [...readLines(lines.map((line) => line.replace(/\r$/, ''))), ...readLines([])];
  }

  return {
    /** @returns why nothing was stored; undefined once all points are on disk. @throws the fault of disk or database */
    async take({ body, at, from, of, key, attempts }: Delivery) {
      const to = of === undefined ? undefined : await keeping.keeperOf(of);
      if (typeof to === 'string') return { kind: 'no station' as const, why: to };
      const reads = read(body, at);
      if (reads.length === 0 && !layout?.where.length) reads.push({ line: 1, read: NO_POINT });
      for (const { line, read } of options.skipBad ? [] : reads)
        if ('fault' in read)
          return { kind: 'bad line' as const, why: `line ${line}: ${messageOfFault(read)}` };
      const batches = await keeping.batches(reads, from, of);
      const again = batches.size > 1 ? attempts : undefined;
      // in the repeated autumn hour, the same text may stand for another time
      const time = reads.map(({ read }) => 'time' in read && read.time).find(Boolean);
      const own = haveTimes ? `${from} ${time} ${hash('sha256', body)}` : again;
      const id = key ?? own;
      for (const [keeper, points] of batches) await keeper.keepNow(points, id);
      await keeping.show([...batches.values()].flat());
      return undefined;
    },
    close: keeping.close,
  };
}

const NO_POINT = { kind: 'there is no point', fault: 'there is no point' };
