// Puts the time of a line together from the columns that have its parts.
import type { ColumnIndexes, Field } from './column-choice.ts';

const [PARTS, CLOCK] = [['date', 'year', 'minute', 'second'] as const, ['time', 'minute', 'second'] as const];

/** @returns one text, such as `2026-11-12 22:15`. The month may be a name, and the hour may have minutes */
export function joinedTime(at: ColumnIndexes, textOf: (field: Field) => string): string {
  if (!PARTS.some((field) => at.has(field))) return textOf('time');
  /** At least two digits, without the `.0` of tables that were numbers. */
  const part = (field: Field) =>
    textOf(field)
      .replace(/^(\d+)[.,]0$/, '$1')
      .replace(/^\d(?!\d)/, '0$&');
  const [year, month, day] = [part('year').replace(/^\d\d$/, '20$&'), part('month'), part('day')];
  const named = /\d/.test(month) ? `${year}-${month}-${day}` : `${day} ${month} ${year}`;
  const clock = CLOCK.filter((field) => at.has(field)).map(part);
  return `${at.has('year') ? named : textOf('date')} ${clock.join(':')}`.trim();
}
