// Counts refused lines by kind of fault, and keeps their first texts for advice.
import { type LineFault, messageOfFault } from '../commands/fault.ts';
import { counted } from '../commands/progress.ts';

/** How many refused texts of a kind to try advice on. */
const TRIED = 10;

export type Refusals = ReturnType<typeof createRefusals>;

export function createRefusals() {
  const kinds = new Map<string, { count: number; first: LineFault; at: string; texts: string[] }>();
  const count = () => [...kinds.values()].reduce((sum, kind) => sum + kind.count, 0);
  /** The fault with advice that was tried on the first texts of its kind. */
  const message = (fault: LineFault) => messageOfFault(fault, kinds.get(fault.kind)?.texts);
  return {
    add(first: LineFault, path: string, line: number, lines = 1): void {
      const found = kinds.get(first.kind) ?? { count: 0, first, at: `${path}, line ${line}`, texts: [] };
      kinds.set(first.kind, found);
      found.count += lines;
      if (first.text !== undefined && found.texts.length < TRIED) found.texts.push(first.text);
    },
    count,
    message,
    /** The first refused line, with the total number; undefined if there is none. */
    first(): string | undefined {
      const [of] = kinds.values();
      if (!of) return undefined;
      const line = `${of.at}: ${message(of.first)}`;
      return count() > 1 ? `${line} (the first of ${count().toLocaleString('en')} refused lines)` : line;
    },
    /** One line per kind in order of appearance: how many, and the first. */
    lines: () =>
      [...kinds].map(
        ([kind, { count, first, at }]) =>
          `${counted(count, 'line')}: ${kind}; first in ${at}: ${message(first)}`,
      ),
  };
}
