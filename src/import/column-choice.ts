// Chooses the columns of another logger's file for each field, by position or by the names in its headers, and puts
// times together from theirs.

const [DATE, CLOCK] = [['year', 'month', 'day'] as const, ['time', 'minute', 'second'] as const];
const TIME_FIELDS = ['date', ...DATE, ...CLOCK, 'millis'] as const;
const FIELDS = [...TIME_FIELDS, 'level', 'freq', 'silence'] as const;
export type Field = (typeof FIELDS)[number];

/** The index of each field's column, counted from 0. */
export type ColumnIndexes = ReadonlyMap<Field, number>;

export type ColumnChoice = NonNullable<ReturnType<typeof parseColumns>>;

export const COLUMNS_ALLOWED =
  'positions such as time,level,-,freq or header names such as "time=Date Time,level=LAeq". The fields are time or hour, which is required unless lines have the time of their arrival; date, or year, month and day; minute, second, millis; level, freq and silence; each at most once';

const isNamed = (text: string) => (field: Field) => field === text.trim().replace(/^hour$/, 'time');

/** Whether the fields make up a time, or have no part of one. */
function areWhole(fields: ReadonlyMap<Field, unknown>): boolean {
  if (!fields.has('time')) return !TIME_FIELDS.some((field) => fields.has(field));
  const parts = DATE.filter((field) => fields.has(field)).length + (fields.has('date') ? DATE.length : 0);
  return parts === 0 || parts === DATE.length;
}

/** Whether lines have times of their own. Otherwise each has the time of its arrival. */
export const hasTime = (columns: ColumnChoice): boolean =>
  (columns.by === 'position' ? columns.indexes : columns.names).has('time');

/** @returns undefined if the text is not {@link COLUMNS_ALLOWED} */
export const parseColumns = (text: string) => (text.includes('=') ? byName(text) : byPosition(text));

function byPosition(text: string) {
  const names = text.split(',');
  const indexes = byField(
    names.map((name, index) => [name, index] as const).filter(([name]) => name.trim() !== '-'),
  );
  /** Its count includes columns to skip. */
  return indexes && { by: 'position' as const, indexes, count: names.length };
}

function byName(text: string) {
  // a name may contain a comma: a part without a field continues the previous name
  const parts = text.split(new RegExp(`,(?=\\s*(?:hour|${FIELDS.join('|')})\\s*=)`));
  const names = byField(
    parts.map((part) => [part.split('=', 1).join(), part.replace(/^[^=]*=?/, '').trim()] as const),
  );
  return names && ![...names.values()].includes('') ? { by: 'name' as const, names } : undefined;
}

/** @returns undefined if a field is unknown or given twice, or if a part of the time is missing */
function byField<Column>(pairs: readonly (readonly [text: string, column: Column])[]) {
  const known = pairs.flatMap(([text, column]) =>
    FIELDS.filter(isNamed(text)).map((field) => [field, column] as const),
  );
  const fields = new Map(known);
  return fields.size === pairs.length && areWhole(fields) ? fields : undefined;
}

/** Equal for names that look the same: `LAeq (dB)` with any kind of blank, and either of the two letters µ. */
const tidy = (name: string) => name.normalize('NFKC').replace(/\s+/g, ' ').trim();

export const sameName = (name: string) => {
  const wanted = tidy(name);
  return (other: string) => other === name || tidy(other) === wanted;
};

/** The names in a header. Some loggers write it as a comment. */
export const headerOf = (fields: readonly string[]) =>
  fields.map((name, index) =>
    (index === 0 ? name.replace(/^\ufeff?(?:#\s*(?=\S))?/, '') : name).replace(/\s+/g, ' ').trim(),
  );

/** A date, a clock or a count where the time is: the line is not a header. */
const DATA = /^\s*(?:\d+[-./:]|\d{5})/;

/**
 * @param head the header before. @param time the column of the time. @param needed the columns that are needed
 * @returns the place of each column of `head` in a later header, as in joined files, or the name that it lacks; undefined
 *   if the line is not a header
 */
export function readLaterHeader(
  fields: readonly string[],
  head: readonly string[],
  time: number,
  needed: readonly number[],
): { readonly order: readonly number[] } | { readonly missing: string } | undefined {
  if (!head[time] || DATA.test(fields[time] ?? '')) return undefined;
  const shown = headerOf(fields);
  const cells = shown[0] === '#' && head[0] !== '#' ? shown.slice(1) : shown;
  const order = head.map((name, index) =>
    cells[index] === name ? index : name === '' ? -1 : cells.findIndex(sameName(name)),
  );
  if (order[time] === -1) return undefined;
  const missing = needed.find((index) => order[index] === -1);
  if (missing === undefined) return { order };
  return cells.some((text) => /^\d/.test(text)) ? undefined : { missing: head[missing] ?? '' };
}

const PARTS = ['date', 'year', 'minute', 'second'] as const;

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
