// Notices rows in time that was already read, as of several sensors, overlapping files or a clock that was set back.
import { counted } from '../commands/progress.ts';
import type { LineRow } from './line-reader.ts';

/** That many repeated rows are no reason to refuse an import, nor is this share of its rows. */
const [FEW, FEW_OF] = [3, 0.001];
/** How many fields to keep of rows, in stretches of this many milliseconds. */
const [MOST_FIELDS, STRETCH_MS] = [100_000, 10_000];
/** A pause is longer than this many spacings. */
const PAUSE = 1.5;
/** The longest spacing of the first two points. */
const DAY_MICROS = 86_400_000_000;
/** With more stretches, those far from the present one are forgotten. */
const MOST_STRETCHES = 2000;

const NOWHERE = { by: -1, way: '', name: '', line: 0, time: '' };

/** Points without a pause between them, in microseconds since 1970. A single point has the spacing before it. */
interface Stretch {
  first: number;
  last: number;
  spacing: number;
}

export function createStretches(stretches: Stretch[] = [], before = Number.NaN) {
  function grow(stretch: Stretch | undefined, end: 'first' | 'last', micros: number): boolean {
    const step = stretch ? Math.abs(micros - stretch[end]) : 0;
    if (!stretch || step > PAUSE * stretch.spacing) return false;
    stretch.spacing = PAUSE * step < stretch.spacing ? step : (3 * stretch.spacing + step) / 4;
    stretch[end] = micros;
    return true;
  }

  return {
    /** @returns whether the time was already read: that of a point, or between two without a pause */
    has(micros: number): boolean {
      const spacing = Math.abs(micros - before) || DAY_MICROS;
      before = micros;
      const index = stretches.findLastIndex(({ first }) => first <= micros);
      const left = stretches[index];
      if (left && micros <= left.last) return true;
      if (grow(left, 'last', micros) || grow(stretches[index + 1], 'first', micros)) return false;
      stretches.splice(index + 1, 0, { first: micros, last: micros, spacing });
      if (stretches.length > MOST_STRETCHES) stretches.splice(index < MOST_STRETCHES / 2 ? -1 : 0, 1);
      return false;
    },
    copy: () => createStretches(structuredClone(stretches), before),
  };
}

export type Repeats = ReturnType<typeof createRepeats>;

/** @param drops whether to drop such rows */
export function createRepeats(drops: boolean, stretches = createStretches()) {
  let sample: LineRow[] = [];
  let [rows, count, before, step, share] = [0, 0, Number.NaN, 0, 1];
  let [turn, jump] = [NOWHERE, NOWHERE];

  /** Keeps all rows of some stretches of time, whose choice follows no period. */
  function keep(row: LineRow, ms: number): void {
    const isKept = (ms: number) => Math.imul(ms / STRETCH_MS, 0x9e3779b1) >>> 0 < share * 2 ** 32;
    if (row.fields && isKept(ms)) sample.push(row);
    if (sample.length * (row.fields?.length ?? 0) <= MOST_FIELDS) return;
    share /= 2;
    sample = sample.filter(({ time }) => isKept(Date.parse(time)));
  }

  /** Notes the longest step back before a repeated row, or into time that was already read. */
  function note(isRepeated: boolean, micros: number, at: Omit<typeof jump, 'by' | 'way'>): void {
    const move = micros - before;
    const isStep = move * step < 0 || (isRepeated && Math.abs(move) > 2 * Math.abs(step));
    const by = isStep ? Math.abs(move) + Math.abs(step) : 0; // the clock would have gone on by a step
    if (isStep || isRepeated)
      turn = by > turn.by ? { ...at, by, way: move < 0 ? 'goes back' : 'jumps' } : turn;
    if (isRepeated && turn.by > jump.by) jump = turn;
    if (isRepeated) turn = NOWHERE;
    if (!isStep) step = move || step;
    before = micros;
  }

  return {
    /** @param ms the time in milliseconds since 1970. @returns whether to drop the row */
    add(row: LineRow, ms: number, name: string, line: number): boolean {
      const micros = microsOfTime(row.time, ms);
      const isRepeated = stretches.has(micros);
      rows += 1;
      count += Number(isRepeated);
      keep(row, ms);
      note(isRepeated, micros, { name, line, time: row.time });
      return isRepeated && drops;
    },
    /** Some of the rows, all of each stretch of time. */
    sample: () => sample,
    count: () => count,
    isMany: () => count > FEW && count > FEW_OF * rows,
    /** Where the time goes back furthest, and how many rows are repeated. */
    told(): string {
      const { by, way, name, line, time } = jump;
      const seconds = (by / 1e6).toLocaleString('en', { maximumFractionDigits: 3 });
      const what = by > 0 ? `${way} by ${seconds} s to` : 'repeats';
      return `${name}, line ${line}: the time ${what} ${time}; ${count.toLocaleString('en')} of ${counted(rows, 'row')} lie in time that was already read`;
    },
    /** A copy that has read the same time, without the counts. */
    copy: () => createRepeats(drops, stretches.copy()),
  };
}

/** @param ms the canonical time in milliseconds since 1970 */
export const microsOfTime = (time: string, ms = Date.parse(time)): number =>
  ms * 1000 + Number(time.slice(23, 26));
