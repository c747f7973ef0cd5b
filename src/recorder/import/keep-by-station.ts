// Keeps the points of a stream, of each station by itself.
import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import { createOnceAMinute } from '../once-a-minute.ts';
import type { RecorderIo } from '../recorder-io.ts';
import { keepPoints } from '../storing/keep-points.ts';
import type { ImportOptions } from './import-options.ts';
import { mappingAdvice, stationOf } from './station-by.ts';

type Keeping = Awaited<ReturnType<typeof keepPoints>>;

export const isMissing = (error: unknown) => error instanceof AppError && error.code === 'NOT_FOUND';

export async function keepByStation({ as, stationBy }: ImportOptions, io: RecorderIo) {
  const one = stationBy ? undefined : await keepPoints({ as }, io);
  const kept = new Map<string, Keeping>(one && [['', one]]);
  const missing = new Map<string, { readonly why: string; isDue(): boolean }>();
  let whole: Promise<Database> | undefined;
  const open = () => (whole ??= io.openDatabase());

  async function begin(station: string): Promise<Keeping> {
    const own = { ...io.at(station, open), progress: (line: string) => io.progress(`${station}: ${line}`) };
    return keepPoints({ as }, own).catch(async (error) => {
      if (!stationBy?.creates || !isMissing(error)) throw error;
      await io.create(station);
      return keepPoints({ as }, own);
    });
  }

  return {
    /** @returns what keeps the points with a value of the column, or why there is none */
    async of(value = ''): Promise<Keeping | string> {
      if (one || !stationBy) return one ?? '';
      const station = stationOf(stationBy, value);
      if (station === undefined) return mappingAdvice(stationBy, [value]);
      const before = missing.get(station);
      if (before && !before.isDue()) return before.why;
      try {
        const keeping = kept.get(station) ?? (await begin(station));
        kept.set(station, keeping);
        return keeping;
      } catch (error) {
        if (!(error instanceof Error) || !isMissing(error)) throw error;
        const looking = createOnceAMinute();
        looking.isDue();
        missing.set(station, { why: error.message, isDue: looking.isDue });
        return error.message;
      }
    },
    async waiting(): Promise<number> {
      let sum = 0;
      for (const keeping of kept.values()) sum += await keeping.waiting();
      return sum;
    },
    /** @throws the first fault, once all are closed */
    async close(): Promise<void> {
      const faults: unknown[] = [];
      for (const keeping of kept.values()) await keeping.close().catch((error) => faults.push(error));
      await (await whole?.catch(() => undefined))?.close();
      if (faults.length > 0) throw faults[0];
    },
  };
}
