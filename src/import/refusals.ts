// Counts refused lines by kind of fault.
import { counted } from '../commands/progress.ts';
import type { LineFault } from './line-reader.ts';

export type Refusals = ReturnType<typeof createRefusals>;

export function createRefusals() {
  const kinds = new Map<string, { count: number; first: string }>();
  let count = 0;
  let firstOfAll: string | undefined;
  return {
    add({ kind, fault }: LineFault, path: string, line: number, lines = 1): void {
      count += lines;
      firstOfAll ??= `${path}, line ${line}: ${fault}`;
      const before = kinds.get(kind);
      if (before) before.count += lines;
      else kinds.set(kind, { count: lines, first: `first in ${path}, line ${line}: ${fault}` });
    },
    count: () => count,
    /** The first refused line, with the total number; undefined if there is none. */
    first: () =>
      count > 1 ? `${firstOfAll} (the first of ${count.toLocaleString('en')} refused lines)` : firstOfAll,
    /** One line per kind in order of appearance: how many, and the first. */
    lines: () => [...kinds].map(([kind, { count, first }]) => `${counted(count, 'line')}: ${kind}; ${first}`),
  };
}
