// Finds the stretches of an interval that add the most energy to its background.
import { BANDS } from '../../../contract/bands.ts';
import { type Interval, instantOfMicros } from '../../../contract/instant.ts';
import { clip, rangeOf } from '../../../contract/ranges.ts';
import { exceededLevels, figuresOf } from '../../../rollups/figures.ts';
import { addUp, type Totals } from '../../../rollups/histogram.ts';
import type { Store } from '../../../rollups/store.ts';
import { bucketsOf, totalsByBucket } from '../buckets.ts';
import type { FrequencyBucket } from '../frequencies/contract.ts';
import { bandsByBucket } from '../frequencies/query.ts';
import { ROUNDING_DB } from '../limits/limit-state.ts';
import { answerHistogram } from '../summary/query.ts';
import { LEAST_ABOVE_DB, type WorstStretch } from './contract.ts';

/**
 * @param bucketSeconds buckets start at multiples of it since 1970
 * @param limit the maximum number of stretches
 * @returns the stretch with the most energy above the background first; among equals, the earlier first
 */
export async function worstStretches(
  store: Store,
  interval: Interval,
  bucketSeconds: number,
  limit: number,
): Promise<WorstStretch[]> {
  const buckets = bucketsOf(interval, bucketSeconds);
  const [{ levels }, totals, bands] = await answerHistogram(store, interval, [
    totalsByBucket(buckets),
    bandsByBucket(buckets),
  ]);
  const background_db = exceededLevels(levels)(90);
  if (background_db === null) return [];
  const startOf = (index: number) => BigInt((buckets.starts[0] ?? 0) + index * bucketSeconds) * 1_000_000n;
  const energy = addUp(totals).power_sum;
  const stretches = runsAbove(totals, background_db).map(({ first, end }) => {
    const { from, to } = clip({ from: startOf(first), to: startOf(end) }, rangeOf(interval));
    const its = addUp(totals.slice(first, end));
    const above = its.power_sum - its.level_count * 10 ** (background_db / 10);
    return {
      from: instantOfMicros(from),
      to: instantOfMicros(to),
      leq_db: figuresOf(its).leq_db ?? background_db,
      background_db,
      energy_percent: (100 * above) / energy,
      band_hz: mostFrequentBand(bands.slice(first, end)),
    };
  });
  // the last digits of sums depend on the order of adding, so equals would come in any order
  const rank = ({ energy_percent }: WorstStretch) => Number(energy_percent.toPrecision(9));
  return stretches.sort((a, b) => rank(b) - rank(a)).slice(0, limit);
}

/** Neighbouring buckets that are loud enough, from the index of the first to the index after the last. */
function runsAbove(totals: readonly Totals[], background_db: number): { first: number; end: number }[] {
  const runs: { first: number; end: number }[] = [];
  for (const [index, total] of totals.entries()) {
    const { leq_db } = figuresOf(total);
    if (leq_db === null || leq_db - background_db < LEAST_ABOVE_DB - ROUNDING_DB) continue;
    const last = runs.at(-1);
    if (last?.end === index) last.end++;
    else runs.push({ first: index, end: index + 1 });
  }
  return runs;
}

/** @returns the nominal frequency of the most frequent band, the lowest among equals; null if no point has one */
function mostFrequentBand(buckets: readonly FrequencyBucket[]): number | null {
  const counts = BANDS.map((_, band) => buckets.reduce((sum, { counts }) => sum + (counts[band] ?? 0), 0));
  const most = Math.max(...counts);
  return most > 0 ? (BANDS[counts.indexOf(most)]?.nominal_hz ?? null) : null;
}
