// Advises formats that read refused times.
import { tidy } from './clock-fields.ts';
import { patternsFor } from './time-pattern.ts';

/** Reads a text by the format of that name and that zone. @returns an instant, or anything else for a fault */
type ReadBy = (name: string, zone: string | undefined) => (text: string) => unknown;

/** @returns the formats that read the most of the texts, the latest and densest times first; empty if none does */
export function formatAdvice(
  texts: readonly string[],
  tried: string,
  zone: string | undefined,
  readBy: ReadBy,
): string {
  const names = new Set([tried === 'auto' ? 'unix' : 'auto', ...texts.flatMap(patternsFor)]);
  names.delete(tried);
  const ofClock = " and the zone of the logger's clock, such as --zone UTC";
  const [other, also] = zone === undefined ? ['UTC', ofClock] : [undefined, ' without --zone'];
  for (const by of [zone, other]) {
    const found = Array.from(names, (name) => {
      const times = texts.map(readBy(name, by)).filter((time) => typeof time === 'string');
      const [earliest = '', latest = ''] = [times.toSorted()[0], times.toSorted().at(-1)];
      const spanMs = Date.parse(latest) - Date.parse(earliest);
      return { name, count: times.length, year: Number(latest.slice(0, 4)), spanMs };
    });
    const most = Math.max(1, ...found.map(({ count }) => count));
    const formats = found
      .filter(({ count }) => count === most)
      .sort((a, b) => b.year - a.year || a.spanMs - b.spanMs)
      .map(({ name }) => (/^[a-z]+$/.test(name) ? name : JSON.stringify(name)));
    if (formats.length > 0) return `: try --time-format ${formats.join(' or ')}${by === zone ? '' : also}`;
  }
  return '';
}

/** Advice on a text that no format reads. */
export function otherAdvice(text: string, tried: string): string {
  const part = isDate(text) ? 'time of day' : /^\d{1,2}:\d{2}/.test(text) ? 'date' : undefined;
  if (part)
    return `: it has no ${part}. If another column has it, read both, such as --columns "date=Date,time=Time"`;
  if (/^\d{5}([.,]\d+)?$/.test(text)) return ': try --time-format excel if it counts days since 1900';
  if (/^\d[.,]\d*e\+?\d+$/i.test(text))
    return ': it has lost its digits. Export the column as text, or as a number without an exponent';
  return tried === 'auto'
    ? '; describe it with --time-format, a pattern of the letters YYYY MM DD HH mm ss'
    : '; it must be as --time-format says';
}

const isDate = (text: string) =>
  /^(\d{1,2}([./-])\d{1,2}\2\d{2,4}|\d{4}[./-]?\d{1,2}[./-]?\d{1,2})$/.test(tidy(text));
