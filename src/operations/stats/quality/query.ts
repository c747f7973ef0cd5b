// Reports whether the microphone was present, and what it could not measure.
import { aheadOf, type Interval, microsOf } from '../../../contract/instant.ts';
import { earlier, later } from '../../../contract/ranges.ts';
import { newestTime, spacing } from '../../../points/point-times.ts';
import { overloadPercent } from '../../../rollups/overload.ts';
import { answerAll, nothingToRead } from '../../../rollups/rollup-planner.ts';
import { consistently, type Store } from '../../../rollups/store.ts';
import { historyOf } from '../../history-ends.ts';
import { clockOfAnswer } from '../../periods.ts';
import { coveragePercent, gapsIn, leastGap } from '../gaps.ts';
import { anyOverload, overloadBetween } from '../overload-between.ts';
import { histogramIn } from '../summary/query.ts';
import type { QualityOutput } from './contract.ts';
import { pointsAhead } from './points-dated-ahead.ts';
import { repeatedIn } from './repeated-times.ts';

/** @param now ends gaps if `to` lies ahead. @param minGapSeconds by default {@link leastGap}. @param clock canonical */
export function quality(
  of: Store,
  { from, to }: Interval,
  now: string,
  minGapSeconds?: number,
  clock = () => now,
): Promise<Omit<QualityOutput, 'from' | 'to' | 'exclusions' | 'exclusion_count'>> {
  return consistently(of, async (store) => {
    const spacing_seconds = await spacing(store, to, now);
    const min_gap_seconds = minGapSeconds ?? leastGap(spacing_seconds);
    const percent = (part: number, all: number) => (all > 0 ? (100 * part) / all : null);
    const measured = { from, to: earlier(to, now) };
    const [counted, found, isOverloaded, repeated_count] = await answerAll(store, [
      histogramIn({ from, to }),
      from < measured.to
        ? gapsIn(measured, min_gap_seconds)
        : nothingToRead({ gap_count: 0, gap_seconds: 0, gaps: [] }),
      anyOverload(store, { from, to }),
      repeatedIn({ from, to }),
    ]);
    const { point_count, level_count, silence_count, under_range, over_range } = counted;
    const overload = await overloadBetween(store, isOverloaded, { from, to }, [from, to], [point_count]);
    const future = await pointsAhead(store.db, clock);
    const ahead = () => later(from, aheadOf(clock()));
    const newest = await newestTime(store, now);
    return {
      ...(await historyOf(store, { from, to })),
      point_count,
      repeated_count,
      spacing_seconds,
      min_gap_seconds,
      coverage_percent: coveragePercent(measured, found.gap_seconds),
      ...found,
      null_level_percent: percent(point_count - level_count, point_count),
      at_floor_percent: percent(under_range, level_count),
      at_ceiling_percent: percent(over_range, level_count),
      overload_percent: overloadPercent(overload),
      clock: point_count > 0 ? await clockOfAnswer(store, { from, to }) : null,
      silence_percent: percent(silence_count, point_count),
      future_count: future.count,
      ahead_count: ahead() < to ? (await pointsAhead(store.db, ahead, to)).count : 0,
      newest: newest ?? null,
      newest_age_seconds: newest === undefined ? null : Number(microsOf(now) - microsOf(newest)) / 1e6,
    };
  });
}
