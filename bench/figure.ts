// Figures: what was measured, against what bar, and how it is shown.
import type { Polled } from './pollers.ts';

/** One line of the result: what was measured, against what bar. */
export interface Figure {
  readonly work: string;
  readonly value: number;
  readonly unit: string;
  readonly bar?: { readonly atMost: number } | { readonly atLeast: number };
  readonly note?: string;
}

/** True also for a figure without a bar. */
export function isReached({ value, bar }: Figure): boolean {
  if (!bar) return true;
  return 'atMost' in bar ? value <= bar.atMost : value >= bar.atLeast;
}

/** One line of text. */
export function lineOf(figure: Figure): string {
  const { work, value, unit, bar, note } = figure;
  const shown = `${Number(value.toPrecision(3))} ${unit}`.trim();
  const allowed = bar ? ('atMost' in bar ? `at most ${bar.atMost}` : `at least ${bar.atLeast}`) : '';
  const verdict = bar ? (isReached(figure) ? 'ok' : 'MISSED') : '';
  return [work.padEnd(88), shown.padStart(12), allowed.padEnd(13), verdict.padEnd(6), note ?? '']
    .join('  ')
    .trimEnd();
}

/** The round in the middle. */
export function median<T>(rounds: readonly T[], by: (round: T) => number): T {
  const middle = rounds.toSorted((a, b) => by(a) - by(b))[Math.floor(rounds.length / 2)];
  if (!middle) throw new Error('Nothing was measured');
  return middle;
}

/** The first error that any of the runs met. */
export function noteOf(...runs: Polled[]): { note?: string } {
  const { firstError } = runs.find((run) => run.firstError !== undefined) ?? {};
  return firstError === undefined ? {} : { note: firstError };
}
