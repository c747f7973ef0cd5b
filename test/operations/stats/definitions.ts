// Figures by their definitions, over points in memory.
import { expect } from 'vitest';
import type { Range } from '../../../src/contract/instant.ts';
import { isWithin, without } from '../../../src/contract/ranges.ts';
import type { TestDatabase } from '../../engines.ts';

const MINUTE = 60_000_000n;

export interface Sample {
  readonly at: bigint;
  readonly level: number | null;
  /**
   * The level as written: a real that reads -10.2 is -10.19999981. A mean never leaves the range of the written levels.
   */
  readonly written: number | null;
  readonly frequency: number | null;
}

/** To tenths, halves to even, as PostgreSQL rounds. */
export const tenthsOf = (level: number) => {
  const [low, rest] = [Math.floor(level * 10), level * 10 - Math.floor(level * 10)];
  return rest === 0.5 ? low + Math.abs(low % 2) : Math.round(level * 10);
};

/** The energy mean, and that with zero energy for levels at the floor; null if there is no such level. */
export function energyMeansOf(samples: readonly Sample[]) {
  const levels = samples.flatMap(({ level }) => (level === null ? [] : [level]));
  const above = levels.filter((level) => tenthsOf(level) > -500);
  const written = samples.flatMap(({ written }) => (written === null ? [] : [written]));
  const meanOf = (some: readonly number[]) => {
    const power = some.reduce((sum, level) => sum + 10 ** (level / 10), 0) / levels.length;
    return some.length > 0 ? Math.min(10 * Math.log10(power), Math.max(...written)) : null;
  };
  const leq = meanOf(levels);
  return { leq: leq === null ? null : Math.max(leq, Math.min(...written)), lowest: meanOf(above) };
}

/** The figures by their definitions. */
export function figuresBy(samples: readonly Sample[]) {
  const levels = samples.flatMap(({ level }) => (level === null ? [] : [level]));
  const tenths = levels.map(tenthsOf).sort((a, b) => a - b);
  const under_range = tenths.filter((level) => level === -500).length;
  const { leq, lowest } = energyMeansOf(samples);
  const exceeded = (percent: number) =>
    levels.length > 0
      ? (tenths[Math.ceil((levels.length * (100 - percent)) / 100) - 1] ?? Number.NaN) / 10 + 0
      : null;
  const counts = new Map<number, number>();
  for (const { frequency } of samples)
    if (frequency !== null) counts.set(frequency, (counts.get(frequency) ?? 0) + 1);
  const [dominant] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return {
    point_count: samples.length,
    leq_db: near(leq),
    leq_low_db: near(lowest),
    exceeded: { l10_db: exceeded(10), l50_db: exceeded(50), l90_db: exceeded(90) },
    dominant_frequency_hz: dominant?.[0] ?? null,
    under_range,
    over_range: tenths.filter((level) => level === 0).length,
    level_count: levels.length,
  };
}

/**
 * The level of a day from the samples of its parts, each with a penalty, weighted by their nominal hours.
 *
 * @param isFloorSilent whether levels at the floor count as zero energy
 */
export function ratedBy(
  parts: readonly (readonly Sample[])[],
  { nominalHours, penaltiesDb }: { nominalHours: readonly number[]; penaltiesDb: readonly number[] },
  { isFloorSilent = false } = {},
) {
  const powerOf = (level: number) => (isFloorSilent && tenthsOf(level) <= -500 ? 0 : 10 ** (level / 10));
  const powers = nominalHours.map((hours, part) => {
    const levels = (parts[part] ?? []).flatMap(({ level }) => level ?? []);
    const mean = levels.reduce((sum, level) => sum + powerOf(level), 0) / levels.length;
    return hours === 0 ? 0 : hours * mean * 10 ** ((penaltiesDb[part] ?? 0) / 10);
  });
  const sum = powers.reduce((all, power) => all + power, 0) / 24;
  return Number.isNaN(sum) || sum === 0 ? null : expect.closeTo(10 * Math.log10(sum), 6);
}

export const near = (level: number | null) => (level === null ? null : expect.closeTo(level, 8));

export const clip = ({ from, to }: Range, whole: Range): Range => {
  const since = from > whole.from ? from : whole.from;
  const until = to < whole.to ? to : whole.to;
  return { from: since, to: until > since ? until : since };
};

/** The points of a table, and the exclusions that statistics leave out. */
export function pointsInMemory(test: TestDatabase) {
  let samples: Sample[] = [];
  let excluded: readonly Range[] = [];
  const indexAt = (time: bigint) => {
    let [low, high] = [0, samples.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((samples[middle]?.at ?? 0n) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  /** The points of `[from, to)`. */
  const all = ({ from, to }: Range) => samples.slice(indexAt(from), indexAt(to));
  /** The points of `[from, to)` outside exclusions. */
  const within = (range: Range) => all(range).filter(({ at }) => !isWithin(excluded, at));

  return {
    all,
    within,
    async read() {
      const rows = await test.sql(
        `select (extract(epoch from time) * 1000000)::bigint::text as at, rms_db::float8 as level, rms_db as written,
           frequency_hz as frequency
         from audio_data order by time`,
      );
      samples = rows.map(({ at, ...row }) => ({ at: BigInt(at), ...row }));
    },
    exclude(ranges: readonly Range[]) {
      excluded = ranges;
    },
    isExcluded: (at: bigint) => isWithin(excluded, at),

    /** The whole minutes of a range that start in a part, with their points; measured if no exclusion touches them. */
    minutesIn(part: Range, range: Range) {
      const minutes: { isMeasured: boolean; samples: Sample[] }[] = [];
      for (let at = ((range.from + MINUTE - 1n) / MINUTE) * MINUTE; at + MINUTE <= range.to; at += MINUTE) {
        if (at < part.from || at >= part.to) continue;
        const minute = { from: at, to: at + MINUTE };
        const [left] = without([minute], excluded);
        const counted = within(minute);
        const isWhole = left?.from === minute.from && left.to === minute.to;
        minutes.push({ isMeasured: isWhole && counted.length > 0, samples: counted });
      }
      return minutes;
    },

    /** The share of a part that is neither excluded nor in a gap of at least `leastGap`. */
    coverage(part: Range, leastGap: bigint): number {
      let missing = part.to - part.from;
      for (const { from, to } of without([part], excluded)) {
        const times = [from, ...all({ from, to }).map(({ at }) => at), to];
        missing -= to - from;
        for (const [index, time] of times.slice(1).entries()) {
          const distance = time - (times[index] ?? time);
          if (distance >= leastGap) missing += distance;
        }
      }
      return 100 * (1 - Number(missing) / Number(part.to - part.from));
    },
  };
}
