// Compares two ways to compute the same answer: checks that the answers are equal, and times both in turn.
import { digits, type Figure, median } from './figure.ts';

/** The limits of a figure: a number, a multiple of `raw`, or both. */
export interface Limits {
  readonly atMost?: number;
  readonly ofRaw?: number;
}

/** The same query by the service and by hand. */
export interface Pair {
  ours(): Promise<unknown>;
  raw(): Promise<unknown>;
}

/** How long to repeat a pair. Three repeats run even if they take longer. */
const ENOUGH_MS = 30_000;

/**
 * Runs both once, to compare the answers and to warm the caches, then times them in turn.
 *
 * @returns the medians, in ms
 * @throws an Error that names the figure if the answers differ
 */
export async function compare(name: string, limits: Limits, runs: number, pair: Pair): Promise<Figure> {
  const [found, expected] = [await pair.ours(), await pair.raw()];
  const difference = firstDifference(found, expected);
  if (difference) throw new Error(`${name}: the answers differ: ${difference}`);
  const ours: number[] = [];
  const raw: number[] = [];
  const start = performance.now();
  while (ours.length < runs && (ours.length < 3 || performance.now() - start < ENOUGH_MS)) {
    ours.push(await elapsed(pair.ours));
    raw.push(await elapsed(pair.raw));
  }
  const middle = (times: number[]) => median(times, (ms) => ms);
  return figure(name, 'ms', middle(ours), middle(raw), limits);
}

/** A figure compared with `raw`, the same figure measured in another way. `by` names that way. */
export function figure(
  work: string,
  unit: Figure['unit'],
  ours: number,
  raw: number,
  { atMost = Infinity, ofRaw = Infinity }: Limits,
  by = 'raw',
): Figure {
  const share = Number.isFinite(ofRaw) ? `, at most ${ratio(ofRaw)}` : '';
  const note = `${by} ${digits(raw)} ${unit}: ${ratio(ours / raw)} of it${share}`;
  const bar = { atMost: Math.min(atMost, raw * ofRaw) };
  return { work, value: ours, unit, ...(Number.isFinite(bar.atMost) && { bar }), note };
}

export async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * The first difference between two answers, or undefined. Ignores a relative 1e-9, because float sums depend on order.
 */
export function firstDifference(found: unknown, expected: unknown, path = 'answer'): string | undefined {
  if (typeof found === 'number' && typeof expected === 'number')
    if (Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected))) return undefined;
  if (isObject(found) && isObject(expected)) {
    for (const key of new Set([...Object.keys(found), ...Object.keys(expected)])) {
      const difference = firstDifference(found[key], expected[key], `${path}.${key}`);
      if (difference) return difference;
    }
    return undefined;
  }
  if (Object.is(found, expected)) return undefined;
  return `${path} is ${JSON.stringify(found)}, by hand ${JSON.stringify(expected)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function ratio(value: number): string {
  return value <= 0.5 ? `1/${Math.round(1 / value)}` : value.toFixed(2);
}
