// Formats numbers and times for the reader: in the page's language and time zone.
import { createCauseText } from '../texts/cause-text.ts';
import { createBandText, createLengthText } from '../texts/quantity-text.ts';
import { MINUTE_MS } from './state/calendar-intervals.ts';
import { RANGE_DB, type Scale, timeZone } from './state/site.ts';
import { locales, texts } from './texts/texts.ts';

const one = new Intl.NumberFormat(locales, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'negative', // avoids -0.0
});
const asGiven = new Intl.NumberFormat(locales);
const whole = new Intl.NumberFormat(locales, { maximumFractionDigits: 0 });

export const NOTHING = '–';

/** A level this close to the floor rounds to the floor. The true level may be lower. */
const AT_FLOOR_DB = 0.05;

/** Whether a level only means "at most". Such a level never counts as over a limit. */
export const isAtFloor = (level: number, { floor }: Scale) => level - floor < AT_FLOOR_DB + 1e-6;

/** Whether a level only means "at least": it rounds to the highest level that can be stored. */
const isAtCeiling = (level: number, { floor }: Scale) => floor + RANGE_DB - level < AT_FLOOR_DB + 1e-6;

/** A measured level with its bound, without its unit. */
export function levelText(level: number | null | undefined, scale: Scale): string {
  if (level == null) return NOTHING;
  const bound = isAtFloor(level, scale) ? '≤ ' : isAtCeiling(level, scale) ? '≥ ' : '';
  return `${bound}${decibelText(level)}`;
}

interface Leq {
  readonly leq_db: number | null;
  readonly leq_low_db: number | null;
  /** The number of levels at the ceiling. */
  readonly over_range?: number;
  readonly overload_percent?: number | null;
}

/** The sign before a Leq: the true value may be higher with levels at the ceiling or overloaded sound, and lower with levels at the floor. */
export function signBefore(of: Leq, scale: Scale): '≥ ' | '≤ ' | '' {
  const { leq_db, leq_low_db, over_range = 0, overload_percent } = of;
  if (leq_db === null) return '';
  if (over_range > 0 || overload_percent) return '≥ ';
  return isAtFloor(leq_db, scale) || leq_low_db === null || leq_db - leq_low_db >= 0.05 ? '≤ ' : '';
}

/** A Leq with its bound, without its unit. */
export const leqText = (of: Leq, scale: Scale) =>
  of.leq_db === null ? NOTHING : `${signBefore(of, scale)}${decibelText(of.leq_db)}`;

/** The Leq of a summary, which does not count the levels at the ceiling. */
export const summaryLeqText = (of: Leq & { readonly max_db: number | null }, scale: Scale) =>
  leqText({ ...of, over_range: of.max_db !== null && isAtCeiling(of.max_db, scale) ? 1 : 0 }, scale);

/** A configured level, or a difference of levels, without a plus sign. */
export const decibelText = (difference: number) => one.format(difference).replace('-', '−');

/** A limit, with its own number of decimals. */
export const limitText = (db: number) => asGiven.format(db);

/** Rounded to whole dB, for narrow spaces. */
export const wholeLevelText = (level: number) => whole.format(Math.round(level) || 0).replace('-', '−');

export const percentText = (percent: number | null | undefined) =>
  percent == null ? NOTHING : `${one.format(percent)} %`;

/** A share. Unless it is zero, it never rounds to zero. */
export const shareText = (percent: number) =>
  percent > 0 && percent < 0.05 ? `< ${percentText(0.1)}` : percentText(percent);

/** A share of what a limit allows: whole, or with a decimal below 10 %. */
export const shareOfAllowedText = (percent: number, isAtLeast: boolean) =>
  `${isAtLeast ? '≥ ' : ''}${percent < 9.95 ? shareText(Math.max(percent, 0)) : `${whole.format(percent)} %`}`;

/** Rounded down, so that 100 % means all. */
export const wholePercentText = (percent: number | null) =>
  percent === null ? NOTHING : `${whole.format(Math.floor(percent))} %`;

export const hertzText = (hertz: number | null | undefined) =>
  hertz == null ? NOTHING : `${whole.format(hertz)} Hz`;

/** The name of an episode of stats.why, such as `Tone at 160 Hz`. */
export const causeText = createCauseText(texts, locales);

const nominal = createBandText(locales);

/** A third octave, such as `3.15 kHz`. */
export const bandText = (nominal_hz: number | null | undefined) =>
  nominal_hz == null ? NOTHING : nominal(nominal_hz);

export const listText = (parts: readonly (string | null)[], separator = ', ') =>
  parts.filter(Boolean).join(separator);

/** For example `A, B, and C`. */
export const andText = (parts: readonly string[]) => new Intl.ListFormat(locales).format(parts);

export const countText = (count: number) => whole.format(count);

/** A duration in its two largest units, such as `3 min 20 s`. */
export const lengthText = createLengthText(locales);

/** The length of a window, such as `100 ms` or `1 s`. */
export const windowText = (ms: number) =>
  ms < 1000 ? `${whole.format(ms)} ms` : lengthText(ms / 1000).replace(/[.,]0 s/, ' s');

/** The state of a station; if its points are dated ahead, by how much. */
export const stateText = (state: keyof typeof texts.states, ahead: string | null | undefined) =>
  ahead && (state === 'offline' || state === 'empty')
    ? texts.clockAhead(lengthText(60 * Math.round((Date.parse(ahead) - Date.now()) / MINUTE_MS)))
    : texts.states[state];

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytesText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTES.length - 1);
  const number = bytes / 1000 ** power;
  return `${(number < 10 && power > 0 ? one : whole).format(number)} ${BYTES[power]}`;
}

const clock = { hour: 'numeric', minute: '2-digit' } as const;
const seconds = { ...clock, second: '2-digit' } as const;
const day = { month: 'short', day: 'numeric' } as const;
const dated = { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' } as const;
const FORMS = {
  second: { ...day, ...seconds },
  minute: { ...day, ...clock },
  dated: { ...dated, ...clock },
  weekday: { weekday: 'short', ...day, ...clock },
  'dated second': { ...dated, ...seconds },
  tenth: { ...seconds, fractionalSecondDigits: 1 },
  clock,
  seconds,
  day,
  hour: { hour: 'numeric' },
  night: { weekday: 'short', day: 'numeric' },
  letter: { weekday: 'narrow' },
  'day of week': { ...day, weekday: 'short' },
  'weekday name': { weekday: 'short' },
  date: { ...day, weekday: 'short', timeZone: 'UTC' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

type Precision = keyof typeof FORMS;

const made = new Map<string, Intl.DateTimeFormat>();

type Time = number | string;

/** A time at the given precision, with the year if it is not this year. */
export const timeText = (time: Time, precision: Precision = 'second', zone = timeZone()) =>
  formatOf(precision, time, zone).format(new Date(time));

/** A range of times. A part that both ends share, such as the date, appears once. */
export const rangeText = (from: Time, to: Time, precision: Precision = 'second', zone = timeZone()) =>
  formatOf(precision, from, zone).formatRange(new Date(from), new Date(to));

/** Times of day, such as `22:00–06:00`. */
export const clocksText = (from: Time, to: Time, zone = timeZone()) =>
  `${timeText(from, 'clock', zone)}–${timeText(to, 'clock', zone)}`;

/** The two days of a night, such as `Fri 27 – Sat 28`. */
export const nightText = (from: Time, to: Time, zone: string) =>
  rangeText(from, to, 'night', zone).replace(/[.,]/g, '');

/** An interval with its dates in full, such as `Mon, Jun 1, 2026, 10:00 AM – 12:00 PM`. */
export function intervalText(from: number, to: number): string {
  const isWhole = from % MINUTE_MS === 0 && to % MINUTE_MS === 0;
  return rangeText(from, to, isWhole ? 'dated' : 'dated second');
}

function formatOf(precision: Precision, time: Time, zone: string): Intl.DateTimeFormat {
  const at = new Date(time);
  const form: Intl.DateTimeFormatOptions = { timeZone: zone, ...FORMS[precision] };
  const hasYear = form.day !== undefined && at.getUTCFullYear() !== new Date().getUTCFullYear();
  const key = `${precision} ${hasYear} ${form.timeZone}`;
  const format =
    made.get(key) ?? new Intl.DateTimeFormat(locales, hasYear ? { ...form, year: 'numeric' } : form);
  made.set(key, format);
  return format;
}

/** The name of the time zone at a time, such as `CET` or `GMT+1`. */
export function zoneName(at: Time, zone = timeZone()): string {
  const format = new Intl.DateTimeFormat(locales, { timeZone: zone, timeZoneName: 'short' });
  return format.formatToParts(new Date(at)).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** The names of the time zone in an interval, such as `CET`, or `CEST/CET`. */
export function zoneNames(from: number, to: number): string {
  const [first, last] = [zoneName(from), zoneName(to)];
  return first === last ? first : `${first}/${last}`;
}

/** The time zone with its names in an interval, such as `Europe/Vienna (CET/CEST)`. */
export function zonesText(from: number, to = from): string {
  const names = zoneNames(from, to);
  return names === timeZone() ? names : `${timeZone()} (${names})`;
}
