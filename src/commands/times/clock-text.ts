// Reads times whose order of year, month and day is unambiguous: the year comes first, or the month is a name.
import { clockTimeOf, FRACTION, HALF, isWeekday, type ReadClock, tidy, ZONES } from './clock-fields.ts';

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

const FORMS = [
  ...[YEAR_FIRST, DAY_FIRST, MONTH_FIRST].map((date) => `${date}${BETWEEN}${TIME}${BEHIND}`),
  `(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})[t_ ]?${DIGITS}${ZONES}`,
  `(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})[t_ ]${TIME}${BEHIND}`,
  `(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})[t_ ]${DIGITS}${ZONES}`,
  // as C's ctime() prints it
  `(?<monthName>\\p{L}{3,})\\s(?<day>\\d{1,2})\\s${TIME}${ZONES}\\s(?<year>\\d{4})`,
].map((form) => new RegExp(`^(?:(?<weekday>\\p{L}{2,})\\.?,?\\s)?${form}$`, 'iu'));

export const readClear: ReadClock = (text) => {
  const shown = tidy(text);
  for (const form of FORMS) {
    const groups: Partial<Record<string, string>> | undefined = form.exec(shown)?.groups;
    const { weekday } = groups ?? {};
    const read = weekday !== undefined && !isWeekday(weekday) ? undefined : clockTimeOf(groups);
    if (read) return read;
  }
  return undefined;
};
