// Counts the lines of tables that are refused, by what is wrong with them.
import type { LineFault } from './line-reader.ts';

export interface Refusals {
  add(fault: LineFault, path: string, line: number, lines?: number): void;
  count(): number;
  /** The line that was refused first, with how many more were; undefined if none was. */
  first(): string | undefined;
  /** One for each kind, in the order in which they came: how many, and the first. */
  lines(): string[];
}

export function createRefusals(): Refusals {
  const kinds = new Map<string, { count: number; first: string }>();
  let count = 0;
  let firstOfAll: string | undefined;
  return {
    add({ kind, fault }, path, line, lines = 1) {
      count += lines;
      firstOfAll ??= `${path}, line ${line}: ${fault}`;
      const before = kinds.get(kind);
      if (before) before.count += lines;
      else kinds.set(kind, { count: lines, first: `first in ${path}, line ${line}: ${fault}` });
    },
    count: () => count,
    first: () =>
      count > 1 ? `${firstOfAll} (of ${count.toLocaleString('en')} lines that are refused)` : firstOfAll,
    lines: () =>
      [...kinds].map(
        ([kind, { count, first }]) =>
          `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'}: ${kind}; ${first}`,
      ),
  };
}
