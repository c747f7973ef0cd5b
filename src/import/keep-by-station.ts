// Keeps the points of a stream, separately for each station.
import { createOnceAMinute } from '../commands/once-a-minute.ts';
import { messageOf } from '../commands/progress.ts';
import { isMissing } from '../database/station-schemas.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import { keepPoints } from '../recorder/storing/keep-points.ts';
import type { ImportOptions } from './import-options.ts';
import { mappingAdvice, stationOf } from './station-by.ts';

export type PointKeeper = Awaited<ReturnType<typeof keepPoints>>;

export async function keepByStation({ as, stationBy }: ImportOptions, io: RecorderIo) {
  const kept = new Map<string | undefined, PointKeeper>();
  const missing = new Map<string, { readonly why: string; isDue(): boolean }>();
  if (!stationBy) kept.set(undefined, await keepPoints({ as }, io));

  return {
    /** @returns what stores the points with this value of the column, or why nothing does */
    async of(value = ''): Promise<PointKeeper | string> {
      const station = stationBy && stationOf(stationBy, value);
      const found = kept.get(station);
      if (found) return found;
      if (!stationBy || station === undefined) return stationBy ? mappingAdvice(stationBy, [value]) : '';
      const before = missing.get(station);
      if (before && !before.isDue()) return before.why;
      try {
        const keeping = await keepPoints({ as }, { ...io, ...io.at(station, stationBy.creates) });
        kept.set(station, keeping);
        return keeping;
      } catch (error) {
        if (!isMissing(error)) throw error;
        const { isDue } = before ?? createOnceAMinute();
        if (!before) isDue();
        const why = messageOf(error);
        missing.set(station, { why, isDue });
        return why;
      }
    },
    async waiting(): Promise<number> {
      let sum = 0;
      for (const keeping of kept.values()) sum += await keeping.waiting();
      return sum;
    },
    /** @throws the first fault, once all are closed */
    async close(): Promise<void> {
      const held = kept.size > 1 ? await io.openDatabase().catch(() => undefined) : undefined; // one connection for all
      const faults: unknown[] = [];
      for (const keeping of kept.values()) await keeping.close().catch((error) => faults.push(error));
      await held?.close();
      if (faults.length > 0) throw faults[0];
    },
  };
}
