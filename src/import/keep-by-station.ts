// Keeps lines that arrive: how to read them, the disk and database of their stations, and reports of skipped ones.
import { LRUCache } from 'lru-cache';
import { messageOfFault } from '../commands/fault.ts';
import { counted, createOnceAMinute, createOnceIn, messageOf } from '../commands/progress.ts';
import { createTimeCheck } from '../commands/times/time-check.ts';
import { UNKNOWN } from '../contract/periods.ts';
import type { Point } from '../contract/point.ts';
import { isMissing } from '../database/station-schemas.ts';
import { createLiveStatus } from '../recorder/live-status.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { keepPoints } from '../recorder/storing/keep-points.ts';
import type { ImportOptions } from './import-options.ts';
import type { LineRead } from './line-reader.ts';
import { MOST_STATIONS, mappingAdvice, stationOf } from './station-by.ts';

type PointKeeper = Awaited<ReturnType<typeof keepPoints>>;

/** @throws what `keepPoints` throws */
export async function openKeeping(options: ImportOptions, io: RecorderIo) {
  const { as, stationBy } = options;
  const layout = options.layout && { ...options.layout, offsetDb: options.layout.offsetDb ?? 0 };
  const skipped = createSkippedLines(io.progress);
  /** What stores the points of a station, or why nothing does. */
  const kept = new Map<string | undefined, Promise<PointKeeper | string>>();
  const missing = new LRUCache<string, { readonly why: string; isDue(): boolean }>({ max: MOST_STATIONS });
  let clipped = 0;
  if (!stationBy) kept.set(undefined, Promise.resolve(await keepPoints({ as }, io)));

  /** @param before what stores its points if it is there again */
  async function open(station: string, before?: PointKeeper): Promise<PointKeeper | string> {
    const at = io.at(station, stationBy?.creates === true);
    try {
      if (before) await (await at.openDatabase()).close();
      const opened = before ?? (await keepPoints({ as }, { ...io, ...at }));
      missing.delete(station);
      return opened;
    } catch (error) {
      if (!before) kept.delete(station);
      if (!isMissing(error)) throw error;
      const { isDue } = missing.get(station) ?? createOnceIn(60_000);
      const why = messageOf(error);
      missing.set(station, { why, isDue });
      return why;
    }
  }

  /** @param value of the column. @returns what stores the points with this value, or why nothing does */
  async function keeperOf(value = ''): Promise<PointKeeper | string> {
    const station = stationBy && stationOf(stationBy, value);
    const keeper = await kept.get(station);
    if (keeper !== undefined && (typeof keeper === 'string' || !(await keeper.isRemoved()))) return keeper;
    if (!stationBy || station === undefined) return stationBy ? mappingAdvice(stationBy, [value]) : '';
    const before = missing.get(station);
    if (before && !before.isDue()) return before.why;
    if (keeper) return open(station, keeper);
    if (stationBy.creates && kept.size >= MOST_STATIONS)
      return `${station} would be one more than ${MOST_STATIONS} stations: check what --station-by takes them from`;
    const opening = open(station);
    kept.set(station, opening);
    return opening;
  }

  async function keepers(): Promise<PointKeeper[]> {
    const all = await Promise.all(kept.values());
    return all.filter((keeper) => typeof keeper !== 'string');
  }

  return {
    layout,
    check: options.far ? undefined : createTimeCheck(io.clock),
    keeperOf,
    /** Skips faults, and lines without a station. @param station as the lines would name it. @param from such as `standard input` */
    async batches(lines: readonly LineRead[], from: string, station?: string) {
      const batches = new Map<PointKeeper, Point[]>();
      const known = new Map<string | undefined, PointKeeper | string>();
      for (const { line, read } of lines) {
        if ('fault' in read) skipped.add(`line ${line} of ${from}`, () => messageOfFault(read));
        if (!('row' in read)) continue;
        const of = station ?? read.of;
        const to = known.get(of) ?? (await keeperOf(of));
        known.set(of, to);
        if (typeof to === 'string') skipped.add(`line ${line} of ${from}`, () => to);
        else {
          if (read.isClipped) clipped += 1;
          batches.set(to, batches.get(to) ?? []);
          batches.get(to)?.push(pointOf(read.row));
        }
      }
      return batches;
    },
    show: createLiveStatus(io, {
      settings: as?.settings ?? UNKNOWN,
      async waiting() {
        const counts = (await keepers()).map((keeper) => keeper.waiting());
        return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
      },
      clipped: () => (clipped === 0 ? undefined : `${clipped.toLocaleString('en')} points`),
    }),
    /** @throws the first fault, once all are closed */
    async close(): Promise<void> {
      const held = kept.size > 1 ? await io.openDatabase().catch(() => undefined) : undefined; // one connection for all
      const closed = await Promise.allSettled((await keepers()).map((keeper) => keeper.close()));
      await held?.close();
      const fault = closed.find((one) => one.status === 'rejected');
      if (fault) throw fault.reason;
      skipped.end();
    },
  };
}

function pointOf(row: string): Point {
  const [time = '', level = '', hertz = '', silence] = row.split(',');
  return {
    time,
    rms_db: level === '' ? null : Number(level),
    frequency_hz: hertz === '' ? null : Number(hertz),
    is_silence: silence === 'true',
  };
}

/** Reports skipped lines: the first at once, further ones at most once a minute. */
function createSkippedLines(report: (line: string) => void) {
  let count = 0;
  let said = 0;
  const saying = createOnceAMinute();
  return {
    /** @param where such as `line 4 of standard input` */
    add(where: string, fault: () => string): void {
      count += 1;
      if (!saying.isDue()) return;
      const more = count - said;
      const what = more === 1 ? '' : `${more.toLocaleString('en')} lines, the last of them `;
      report(`Warning: skipped ${what}${where}: ${fault()}`);
      said = count;
    },
    end(): void {
      if (count > 0) report(`Skipped ${counted(count, 'line')} in all.`);
    },
  };
}
