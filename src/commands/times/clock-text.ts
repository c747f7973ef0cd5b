// Reads times whose order of year, month and day is unambiguous: the year comes first, or the month is a name.
import { type ClockTime, clockTimeOf, FRACTION, HALF, isWeekday, tidy, ZONES } from './clock-fields.ts';

/** Words that appear between a date and a time, or after them. */
const FILLERS = 'at|um|à|a las|alle|ore|klo|kl|uhr';

const TIME = `(?<hour>\\d{1,2})(?:(?:[:.時]|\\s?h\\s?)(?<minute>\\d{2})(?:(?:[:.分]|\\s?min\\s?)(?<second>\\d{2})${FRACTION}(?:\\s?s|秒)?)?分?)?`;
const DIGITS = `(?<hour>\\d{2})(?<minute>\\d{2})(?:(?<second>\\d{2})${FRACTION})?`;
const YEAR_FIRST =
  '(?<year>\\d{4})(?<mark>[-/._ ]|\\. |年 ?)(?<month>\\d{1,2})(?:\\k<mark>|月 ?)(?<day>\\d{1,2})[.日]?';
const DAY_FIRST =
  "(?<day>\\d{1,2})(?:\\.|st|nd|rd|th|er|º)?[-\\s./]*(?:de |d')?(?<monthName>\\p{L}{3,})\\.?,?[-\\s./]*(?:del? )?(?<year>\\d{4}|\\d{2})";
const MONTH_FIRST =
  '(?<monthName>\\p{L}{3,})\\.?[-\\s](?<day>\\d{1,2})(?:st|nd|rd|th)?,?[-\\s](?<year>\\d{4})';
const BETWEEN = `(?:[\\s,]*(?:${FILLERS})\\.?\\s|[\\s,_t])\\s*`;
const BEHIND = `(?:\\s?${HALF})?(?:\\s?(?:uhr|h))?${ZONES}`;

const whole = (source: string) => new RegExp(`^(?:(?<weekday>\\p{L}{2,})\\.?,?\\s)?${source}$`, 'iu');
const FORMS = [
  ...[YEAR_FIRST, DAY_FIRST, MONTH_FIRST].map((date) => whole(`${date}${BETWEEN}${TIME}${BEHIND}`)),
  whole(`(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})[t_ ]?${DIGITS}${ZONES}`),
  whole(`(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})[t_ ]${TIME}${BEHIND}`),
  whole(`(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})[t_ ]${DIGITS}${ZONES}`),
  // as C's ctime() prints it
  whole(`(?<monthName>\\p{L}{3,})\\s(?<day>\\d{1,2})\\s${TIME}${ZONES}\\s(?<year>\\d{4})`),
];

/** @returns a function that reads such times; it first tries the form that fitted last */
export function createClockReader(): (text: string) => ClockTime | undefined {
  let last: RegExp | undefined;
  const readBy = (form: RegExp, text: string) => {
    const groups: Partial<Record<string, string>> | undefined = form.exec(text)?.groups;
    const { weekday } = groups ?? {};
    return weekday !== undefined && !isWeekday(weekday) ? undefined : clockTimeOf(groups);
  };
  return (text) => {
    const shown = tidy(text);
    const before = last && readBy(last, shown);
    if (before) return before;
    for (const form of FORMS) {
      const read = readBy(form, shown);
      if (!read) continue;
      last = form;
      return read;
    }
    return undefined;
  };
}
