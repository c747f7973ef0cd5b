// Finds steady sound: runs of minutes whose levels all lie above the background, and close together.
import { figuresOf } from '../../../rollups/figures.ts';
import type { Totals } from '../../../rollups/histogram.ts';
import { medianOf } from '../backgrounds.ts';
import { ROUNDING_DB } from '../limits/limit-state.ts';

/** How far above the background the L90 of a steady minute lies at least, dB. */
export const STEADY_ABOVE_DB = 5;
/** The most that L10 and L90 of a steady minute differ, dB; and those of a tone. */
const STEADY_SPREAD_DB = 8;
export const TONE_SPREAD_DB = 4;
/** Fewer levels in a minute say nothing about their spread. */
const LEAST_LEVELS = 10;
/** How many minutes that are not steady a run may bridge, and how many it lasts at least. */
const [MOST_BRIDGED, LEAST_MINUTES] = [3, 3];
/** A run is cut if its steady minutes among this many before and after differ by the step. */
const [BESIDE_CUT, STEP_DB] = [5, 5];

/** A run of minutes, from the index of the first to that after the last. */
export interface SteadyMinutes {
  readonly first: number;
  readonly end: number;
}

/** The arithmetic mean of the levels of a minute, and the standard deviation that follows from Leq if they are normally
 * distributed: Leq = mean + 0.115 · deviation². Null without levels. */
export function spreadOf(minute: Totals): { mean_db: number; deviation_db: number } | null {
  const { avg_db, leq_db } = figuresOf(minute);
  if (avg_db === null || leq_db === null) return null;
  return { mean_db: avg_db, deviation_db: Math.sqrt(Math.max(leq_db - avg_db, 0) / 0.115) };
}

/** L10 - L90 of normally distributed levels. */
export const l10MinusL90 = (deviation_db: number) => 2.56 * deviation_db;

/** @param minutes in order, one for each minute, also without points */
export function steadyRuns(minutes: readonly Totals[], background_db: number): SteadyMinutes[] {
  const spreads = minutes.map(spreadOf);
  const isSteady = (at: number) => {
    const spread = spreads[at];
    if (!spread || (minutes[at]?.level_count ?? 0) < LEAST_LEVELS) return false;
    const { mean_db, deviation_db } = spread;
    const l90_db = mean_db - 1.28 * deviation_db;
    return (
      l90_db >= background_db + STEADY_ABOVE_DB - ROUNDING_DB &&
      l10MinusL90(deviation_db) <= STEADY_SPREAD_DB + ROUNDING_DB
    );
  };
  const runs: { first: number; end: number }[] = [];
  for (const at of minutes.keys()) {
    if (!isSteady(at)) continue;
    const last = runs.at(-1);
    if (last && at - last.end <= MOST_BRIDGED) last.end = at + 1;
    else runs.push({ first: at, end: at + 1 });
  }
  const means = spreads.map((spread, at) => (spread && isSteady(at) ? spread.mean_db : null));
  return runs
    .filter(({ first, end }) => end - first >= LEAST_MINUTES)
    .flatMap((run) => cutAtSteps(run, means));
}

/** Cuts a run where its level changes: in the middle of the minutes whose step is large enough. */
function cutAtSteps({ first, end }: SteadyMinutes, means: readonly (number | null)[]): SteadyMinutes[] {
  const meanIn = (from: number, to: number) => medianOf(means.slice(from, to).flatMap((mean) => mean ?? []));
  const isStep = (at: number) => {
    const before = meanIn(Math.max(first, at - BESIDE_CUT), at);
    const after = meanIn(at, Math.min(end, at + BESIDE_CUT));
    return before !== null && after !== null && Math.abs(after - before) >= STEP_DB - ROUNDING_DB;
  };
  const steps: { from: number; to: number }[] = [];
  for (let at = first + LEAST_MINUTES; at <= end - LEAST_MINUTES; at++) {
    if (!isStep(at)) continue;
    const last = steps.at(-1);
    if (last?.to === at - 1) last.to = at;
    else steps.push({ from: at, to: at });
  }
  const ends = [first, ...steps.map(({ from, to }) => (from + to) >> 1), end];
  return ends.slice(1).map((to, index) => ({ first: ends[index] ?? to, end: to }));
}
