// Defines a figure: its name, the bar that it must reach, and how it is printed.

/** Shows the person at the terminal what is being measured. */
export type Say = (line: string) => void;

/** What `npm run bench -- NAME` runs. */
export interface Benchmark {
  /** Printed after wrong options. */
  readonly usage: string;
  readonly options: readonly string[];
  run(values: Readonly<Record<string, string | undefined>>, say: Say): Promise<Figure[]>;
}

/** One line of the results. */
export interface Figure {
  readonly work: string;
  readonly value: number;
  readonly unit: '' | 'times' | 'ms' | 'MB';
  /** The limit for the value. */
  readonly bar?: { readonly atMost: number } | { readonly atLeast: number };
  /** The goal beyond the bar. */
  readonly aim?: number;
  readonly note?: string;
}

/** True without a bar. */
export function isReached({ value, bar }: Figure): boolean {
  if (!bar) return true;
  return 'atMost' in bar ? value <= bar.atMost : value >= bar.atLeast;
}

/** A heading, then one line per figure. */
export function formatTable(figures: readonly Figure[]): string {
  const lines = [['', 'figure', 'bar', 'aim', 'reached', ''], ...figures.map(cells)];
  const width = (column: number) => Math.max(...lines.map((line) => line[column]?.length ?? 0));
  const widths = lines[0]?.map((_, column) => width(column)) ?? [];
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function cells(figure: Figure): string[] {
  const { work, value, unit, bar, aim, note = '' } = figure;
  const shown = `${digits(value)} ${unit}`.trim();
  if (!bar) return [work, shown, '', '', '', note];
  const limit = 'atMost' in bar ? `at most ${digits(bar.atMost)}` : `at least ${digits(bar.atLeast)}`;
  return [work, shown, limit, aim === undefined ? '' : digits(aim), isReached(figure) ? 'yes' : 'NO', note];
}

/** Three significant digits, or a whole number from 100 on. */
export function digits(value: number): string {
  const rounded = value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString('en', { maximumFractionDigits: 20 });
}

/** The median round; of an even number, the higher of the middle two. */
export function median<T>(rounds: readonly T[], by: (round: T) => number): T {
  const middle = rounds.toSorted((a, b) => by(a) - by(b))[Math.floor(rounds.length / 2)];
  if (middle === undefined) throw new Error('Nothing was measured');
  return middle;
}
