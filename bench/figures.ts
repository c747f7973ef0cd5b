// Figures: two ways to one answer, checked to be equal, timed in turn, and held against a bar.

export interface Benchmark {
  /** Shown where it is called wrongly. */
  readonly usage: string;
  /** The names of its options. */
  readonly options: readonly string[];
  run(
    values: Readonly<Record<string, string | undefined>>,
    progress: (line: string) => void,
  ): Promise<Figure[]>;
}

/** What a figure must keep to: a number in its unit, a share of the other way's, or both. */
export interface Bar {
  readonly atMost?: number;
  readonly ofRaw?: number;
}

export interface Figure {
  readonly name: string;
  readonly unit: 'ms' | 'MB';
  readonly ours: number;
  readonly raw: number;
  readonly bar: Bar;
  readonly met: boolean;
}

export interface Pair {
  ours(): Promise<unknown>;
  raw(): Promise<unknown>;
}

/** After so long a pair is not run again, if three times are measured. */
const ENOUGH_MS = 30_000;

/**
 * Runs both once, to compare the answers and to warm the caches, then in turn: the median of each.
 *
 * @throws an Error that names the figure where the answers differ
 */
export async function compare(name: string, bar: Bar, runs: number, pair: Pair): Promise<Figure> {
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
  return figure(name, 'ms', median(ours), median(raw), bar);
}

export function figure(name: string, unit: Figure['unit'], ours: number, raw: number, bar: Bar): Figure {
  const met = ours <= (bar.atMost ?? Infinity) && ours <= raw * (bar.ofRaw ?? Infinity);
  return { name, unit, ours, raw, bar, met };
}

async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? NaN) + (sorted[sorted.length >> 1] ?? NaN)) / 2;
}

/** Where two answers differ, or undefined. Sums of floats depend on their order: 1e-9 is no difference. */
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

export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, unit, ours, raw, bar, met }) => [
    name,
    `${digits(ours)} ${unit}`,
    `${digits(raw)} ${unit}`,
    ratio(ours / raw),
    [
      ...(bar.atMost === undefined ? [] : [`${bar.atMost} ${unit}`]),
      ...(bar.ofRaw === undefined ? [] : [`${ratio(bar.ofRaw)} of raw`]),
    ].join(', '),
    met ? 'yes' : 'NO',
  ]);
  const lines = [['', 'ours', 'raw', 'ratio', 'at most', 'met'], ...rows];
  const widths = lines.reduce<number[]>(
    (all, line) => line.map((cell, n) => Math.max(all[n] ?? 0, cell.length)),
    [],
  );
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, n) => cell.padEnd(widths[n] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(2);
}

function ratio(value: number): string {
  return value <= 0.5 ? `1/${Math.round(1 / value)}` : value.toFixed(2);
}
