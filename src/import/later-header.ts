// Recognizes a header that comes again in a table, as in joined files.
import { type ColumnIndexes, headerOf, sameName } from './column-choice.ts';

/** A date, a clock or a count where the time is: the line is not a header. */
const DATA = /^\s*(?:\d+[-./:]|\d{5})/;

/**
 * @param head the header before. @param at the columns that are read. @param others further columns that are needed
 * @returns the place of each column of `head`, or the name that is missing; undefined if the line is not a header
 */
export function readLaterHeader(
  fields: readonly string[],
  head: readonly string[],
  at: ColumnIndexes,
  others: readonly number[],
): { readonly order: readonly number[] } | { readonly missing: string } | undefined {
  const time = at.get('time') ?? -1;
  if (!head[time] || DATA.test(fields[time] ?? '')) return undefined;
  const shown = headerOf(fields);
  const cells = shown[0] === '#' && head[0] !== '#' ? shown.slice(1) : shown;
  const order = head.map((name, index) =>
    cells[index] === name ? index : name === '' ? -1 : cells.findIndex(sameName(name)),
  );
  if (order[time] === -1) return undefined;
  const missing = [...at.values(), ...others].find((index) => order[index] === -1);
  if (missing === undefined) return { order };
  return cells.some((text) => /^\d/.test(text)) ? undefined : { missing: head[missing] ?? '' };
}
