// Counts the lines of tables that are refused, by what is wrong with them.
import type { LineFault } from './line-reader.ts';

export interface Refusals {
  add(fault: LineFault, path: string, line: number): void;
  count(): number;
  /** One for each kind, in the order in which they came: how many, and the first. */
  lines(): string[];
}

export function createRefusals(): Refusals {
  const kinds = new Map<string, { count: number; first: string }>();
  let count = 0;
  return {
    add({ kind, fault }, path, line) {
      count += 1;
      const before = kinds.get(kind);
      if (before) before.count += 1;
      else kinds.set(kind, { count: 1, first: `first in ${path}, line ${line}: ${fault}` });
    },
    count: () => count,
    lines: () =>
      [...kinds].map(([kind, { count, first }]) => `${count.toLocaleString('en')} where ${kind}; ${first}`),
  };
}
