// Stores deliveries, such as posts: small tables whose points are on disk before their senders hear of it.
import { hash } from 'node:crypto';
import { messageOfFault } from '../commands/fault.ts';
import { arrivingAt } from '../commands/times/log-clock.ts';
import { createTimeReader, type TimeReader } from '../commands/times/time-format.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { hasTime } from './column-choice.ts';
import type { ImportOptions } from './import-options.ts';
import { type ArrivedLine, openKeeping } from './keep-by-station.ts';
import { createLineReader } from './line-reader.ts';

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

/** Why nothing of a delivery was stored. */
export interface NotTaken {
  readonly why: string;
  readonly kind: 'bad line' | 'no station';
}

/** @throws what `keepPoints` throws */
export async function openDeliveries(options: ImportOptions, io: RecorderIo) {
  const keeping = await openKeeping(options, io);
  const { layout, check } = keeping;
  const haveTimes = !layout || hasTime(layout.columns);
  const decoder = new TextDecoder(layout?.encoding);

  function timesAt(at: string): TimeReader | undefined {
    if (!haveTimes) return arrivedAt(at);
    return layout && createTimeReader(layout.timeFormat, { ...layout, check }, arrivingAt(Date.parse(at)));
  }

  function read(body: Uint8Array, at: string) {
    const reader = createLineReader(layout, check, timesAt(at));
    const lines = decoder.decode(body).split('\n');
    const found = reader.read(
      lines.map((line) => line.replace(/\r$/, '')),
      1,
    );
    found.push(...reader.read([], found.length + 1));
    const rows: ArrivedLine[] = [];
    const faults: { line: number; fault: string }[] = [];
    for (const [index, each] of found.entries()) {
      if (each && 'row' in each) rows.push({ line: index + 1, read: each });
      else if (each && 'fault' in each) faults.push({ line: index + 1, fault: messageOfFault(each) });
    }
    const end = reader.end();
    if (end) faults.push({ line: end.line, fault: messageOfFault(end) });
    else if (found.every((each) => each === undefined) && !layout?.where.length)
      faults.push({ line: 1, fault: 'there is no point' });
    return { rows, faults };
  }

  return {
    /** @returns why nothing was stored; undefined once all points are on disk. @throws the fault of disk or database */
    async take({ body, at, from, of, key, attempts }: Delivery): Promise<NotTaken | undefined> {
      const to = of === undefined ? undefined : await keeping.keeperOf(of);
      if (typeof to === 'string') return { kind: 'no station', why: to };
      const { rows, faults } = read(body, at);
      const [first] = faults;
      if (first && !options.skipsBad) return { kind: 'bad line', why: `line ${first.line}: ${first.fault}` };
      for (const { line, fault } of faults) keeping.skip(`line ${line} of ${from}`, () => fault);
      const batches = await keeping.batches(rows, from, of);
      const again = batches.size > 1 ? attempts : undefined;
      // in the repeated autumn hour, the same text may stand for another time
      const own = haveTimes ? `${from} ${rows[0]?.read.time} ${hash('sha256', body)}` : again;
      const id = key ?? own;
      for (const [keeper, points] of batches) await keeper.keepNow(points, id);
      await keeping.show([...batches.values()].flat());
      return undefined;
    },
    close: keeping.close,
  };
}

/** Gives all lines of a delivery the time of its arrival. */
const arrivedAt = (time: string): TimeReader => ({
  read: () => time,
  repeated: () => 0,
  unit: () => undefined,
  copy: () => arrivedAt(time),
});
