// Stores deliveries, such as posts: small tables whose points are on disk before their senders hear of it.
import { hash } from 'node:crypto';
import { messageOfFault } from '../commands/fault.ts';
import { ANY_TIME, createTimeCheck } from '../commands/times/time-check.ts';
import type { TimeReader } from '../commands/times/time-format.ts';
import { UNKNOWN } from '../contract/periods.ts';
import { createLiveStatus } from '../recorder/live-status.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { hasTime } from './column-choice.ts';
import type { ImportOptions } from './import-options.ts';
import { createSkippedLines, keepByStation, pointOf } from './keep-by-station.ts';
import { createLineReader, type LineRow } from './line-reader.ts';
import { layoutOf } from './station-by.ts';

export interface Delivery {
  readonly body: Uint8Array;
  /** Where it came from, such as `the topic garden/level`. */
  readonly from: string;
  /** The value that names its station. Undefined if a column does, or if all points have one station. */
  readonly of?: string | undefined;
  /** Identifies a repeat. By default the body does, if each of its lines has a time. */
  readonly key?: string | undefined;
}

/** Why nothing of a delivery was stored. */
export interface NotTaken {
  readonly why: string;
  readonly kind: 'bad line' | 'no station';
}

/** @throws what `keepPoints` throws */
export async function openDeliveries(options: ImportOptions, io: RecorderIo) {
  const { as, stationBy, skipsBad } = options;
  const given = options.layout && { ...options.layout, offsetDb: options.layout.offsetDb ?? 0 };
  const layout = given && stationBy && !stationBy.isOutside ? layoutOf(given, stationBy) : given;
  const haveTimes = !layout || hasTime(layout.columns);
  const check = options.takesFar ? ANY_TIME : createTimeCheck(io.clock);
  const decoder = new TextDecoder(layout?.encoding);
  const keeping = await keepByStation(options, io);
  const skipped = createSkippedLines(io.progress);
  let clipped = 0;
  const show = createLiveStatus(io, {
    settings: as?.settings ?? UNKNOWN,
    waiting: keeping.waiting,
    clipped: () => (clipped === 0 ? undefined : `${clipped.toLocaleString('en')} points`),
  });

  function read(body: Uint8Array) {
    const reader = createLineReader(layout, check, haveTimes ? undefined : arrivedAt(io.now()));
    const lines = decoder.decode(body).split('\n');
    const found = reader.read(
      lines.map((line) => line.replace(/\r$/, '')),
      1,
    );
    found.push(...reader.read([], found.length + 1));
    const rows: LineRow[] = [];
    const faults: { line: number; fault: string }[] = [];
    for (const [index, each] of found.entries()) {
      if (each && 'row' in each) rows.push(each);
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
    async take({ body, from, of, key }: Delivery): Promise<NotTaken | undefined> {
      const { rows, faults } = read(body);
      const [first] = faults;
      if (first && !skipsBad) return { kind: 'bad line', why: `line ${first.line}: ${first.fault}` };
      for (const { line, fault } of faults) skipped.add(`line ${line} of ${from}`, () => fault);
      const id = key ?? (haveTimes ? `${from} ${hash('sha256', body)}` : undefined);
      for (const [value, some] of Map.groupBy(rows, (row) => row.of ?? of)) {
        const to = await keeping.of(value);
        if (typeof to === 'string') return { kind: 'no station', why: to };
        const points = some.map(({ row }) => pointOf(row));
        await to.keepNow(points, id);
        clipped += some.filter(({ isClipped }) => isClipped).length;
        await show(points);
      }
      return undefined;
    },
    async close(): Promise<void> {
      await keeping.close();
      skipped.end();
    },
  };
}

export type Deliveries = Awaited<ReturnType<typeof openDeliveries>>;

/** Gives all lines of a delivery the time of its arrival. */
const arrivedAt = (time: string): TimeReader => ({
  read: () => time,
  repeated: () => 0,
  unit: () => undefined,
  copy: () => arrivedAt(time),
});
