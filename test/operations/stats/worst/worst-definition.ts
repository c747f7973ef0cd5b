// The worst stretches by their definition over all the points.
import { expect } from 'vitest';
import { BANDS } from '../../../../src/contract/bands.ts';
import { instantOfMicros } from '../../../../src/contract/instant.ts';
import type { WorstStretch } from '../../../../src/operations/stats/worst/contract.ts';
import { type Sample, tenthsOf } from '../definitions.ts';

const SECOND = 1_000_000n;

const near = (figure: number, digits = 5) => expect.closeTo(figure, digits);

/** Rounds the level to a real, as it is stored. */
const powerOf = ({ level }: Sample) => (level === null ? 0 : 10 ** (Math.fround(level) / 10));

/** All stretches by their definition: bucket by bucket, over every sample of each. */
export function worstBy(
  samples: readonly Sample[],
  { from, to }: { from: bigint; to: bigint },
  bucketSeconds: number,
): WorstStretch[] {
  const within = samples.filter(({ at }) => at >= from && at < to);
  const sumOf = (some: readonly Sample[]) => some.reduce((sum, sample) => sum + powerOf(sample), 0);
  const levelsOf = (some: readonly Sample[]) => some.flatMap(({ level }) => level ?? []);
  const tenths = levelsOf(within).map((level) => tenthsOf(Math.fround(level)));
  const background = tenths.sort((a, b) => a - b)[Math.ceil(tenths.length / 10) - 1];
  if (background === undefined) return [];
  const width = BigInt(bucketSeconds) * SECOND;
  const stretches: { from: bigint; to: bigint; its: Sample[] }[] = [];
  const buckets = Map.groupBy(within, ({ at }) => (at / width) * width);
  for (const [start, its] of [...buckets].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const leq = 10 * Math.log10(sumOf(its) / levelsOf(its).length);
    if (!(leq >= background / 10 + 3 - 1e-5)) continue; // NaN without levels
    const last = stretches.at(-1);
    if (last?.to === start) {
      last.its.push(...its);
      last.to += width;
    } else stretches.push({ from: start, to: start + width, its: [...its] });
  }
  const above = (its: readonly Sample[]) => sumOf(its) - levelsOf(its).length * 10 ** (background / 100);
  return stretches
    .sort((a, b) => above(b.its) - above(a.its))
    .map((stretch) => {
      const { its } = stretch;
      const counts = BANDS.map(
        ({ from_hz, to_hz }) =>
          its.filter(({ frequency: hz }) => hz !== null && hz >= from_hz && hz < to_hz).length,
      );
      const most = Math.max(...counts);
      return {
        from: instantOfMicros(stretch.from > from ? stretch.from : from),
        to: instantOfMicros(stretch.to < to ? stretch.to : to),
        leq_db: near(10 * Math.log10(sumOf(its) / levelsOf(its).length)),
        background_db: background / 10,
        energy_percent: near((100 * above(its)) / sumOf(within), 9),
        band_hz: most > 0 ? (BANDS[counts.indexOf(most)]?.nominal_hz ?? null) : null,
      };
    });
}
