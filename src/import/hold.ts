// Repeats each level until the next one, for logs that only record changes.
import { instantOf } from '../contract/instant.ts';
import type { Layout } from './import-options.ts';

/** @returns a function that takes rows in order, and returns the repeated rows between the previous row and this one */
export function createHold({ stepMs, maxMs }: NonNullable<Layout['hold']>) {
  let before: { readonly time: string; readonly row: string } | undefined;
  return (time: string, row: string): string[] => {
    const last = before;
    before = { time, row };
    if (!last) return [];
    const [earlier, later] = last.time <= time ? [last, before] : [before, last];
    const rest = earlier.row.slice(earlier.time.length);
    if (rest.startsWith(',,')) return []; // no level to repeat
    const start = Date.parse(earlier.time);
    const end = Math.min(Date.parse(later.time), start + maxMs);
    const micros = earlier.time.slice(23);
    const rows: string[] = [];
    for (let ms = start + stepMs; ms < end; ms += stepMs)
      rows.push(`${instantOf(ms).slice(0, 23)}${micros}${rest}`);
    return rows;
  };
}
