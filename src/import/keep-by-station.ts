// Keeps points that arrive on disk and in the database of their stations, and reports lines that it must skip.
import { counted, createOnceAMinute, createOnceIn, messageOf } from '../commands/progress.ts';
import type { Point } from '../contract/point.ts';
import { isMissing } from '../database/station-schemas.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { keepPoints } from '../recorder/storing/keep-points.ts';
import type { ImportOptions } from './import-options.ts';
import { mappingAdvice, stationOf } from './station-by.ts';

export function pointOf(row: string): Point {
  const [time = '', level = '', hertz = '', silence] = row.split(',');
  return {
    time,
    rms_db: level === '' ? null : Number(level),
    frequency_hz: hertz === '' ? null : Number(hertz),
    is_silence: silence === 'true',
  };
}

/** Reports skipped lines: the first at once, further ones at most once a minute. */
export function createSkippedLines(report: (line: string) => void) {
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

export type PointKeeper = Awaited<ReturnType<typeof keepPoints>>;

export async function keepByStation(
  { as, stationBy }: Pick<ImportOptions, 'as' | 'stationBy'>,
  io: RecorderIo,
) {
  /** What stores the points of a station, or why nothing does. */
  const kept = new Map<string | undefined, Promise<PointKeeper | string>>();
  const missing = new Map<string, { readonly why: string; isDue(): boolean }>();
  if (!stationBy) kept.set(undefined, Promise.resolve(await keepPoints({ as }, io)));

  async function open(station: string, creates: boolean): Promise<PointKeeper | string> {
    try {
      return await keepPoints({ as }, { ...io, ...io.at(station, creates) });
    } catch (error) {
      kept.delete(station);
      if (!isMissing(error)) throw error;
      const { isDue } = missing.get(station) ?? createOnceIn(60_000);
      const why = messageOf(error);
      missing.set(station, { why, isDue });
      return why;
    }
  }

  async function keepers(): Promise<PointKeeper[]> {
    const all = await Promise.all(kept.values());
    return all.filter((keeping) => typeof keeping !== 'string');
  }

  return {
    /** @returns what stores the points with this value of the column, or why nothing does */
    async of(value = ''): Promise<PointKeeper | string> {
      const station = stationBy && stationOf(stationBy, value);
      const found = kept.get(station);
      if (found) return found;
      if (!stationBy || station === undefined) return stationBy ? mappingAdvice(stationBy, [value]) : '';
      const before = missing.get(station);
      if (before && !before.isDue()) return before.why;
      const opening = open(station, stationBy.creates);
      kept.set(station, opening);
      return opening;
    },
    async waiting(): Promise<number> {
      let sum = 0;
      for (const keeping of await keepers()) sum += await keeping.waiting();
      return sum;
    },
    /** @throws the first fault, once all are closed */
    async close(): Promise<void> {
      const held = kept.size > 1 ? await io.openDatabase().catch(() => undefined) : undefined; // one connection for all
      const faults: unknown[] = [];
      for (const keeping of await keepers()) await keeping.close().catch((error) => faults.push(error));
      await held?.close();
      if (faults.length > 0) throw faults[0];
    },
  };
}
