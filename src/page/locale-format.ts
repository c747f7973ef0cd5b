// Numbers and times as the reader writes them: in the locale and the zone of the browser.
import type { Outputs } from '../client/index.ts';

const locale = [...navigator.languages];

export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const one = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: 'negative', // no -0.0
});
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });

/** Shown where there is no value. */
export const NOTHING = '–';

/** The scale of levels: what is added to one, and the unit of the sum. */
export interface Scale {
  readonly unit: string;
  readonly offset: number;
}

type Recorded = Pick<Outputs['stats']['summary']['scale'], 'unit' | 'reference_db'>;

/**
 * @param recorded the scale of an answer; levels of several scales stay as they are stored
 * @param calibrationOffsetDb for levels that were recorded without a reference
 */
export function scaleOf(
  recorded: Recorded | undefined,
  calibrationOffsetDb: number | null | undefined,
): Scale {
  const { unit, reference_db } = recorded ?? { unit: 'dBFS', reference_db: 0 };
  if (unit === null) return { unit: 'dB', offset: 0 };
  if (unit !== 'dBFS') return { unit, offset: reference_db ?? 0 };
  return calibrationOffsetDb == null ? { unit, offset: 0 } : { unit: 'dB SPL', offset: calibrationOffsetDb };
}

/** A level of the service in the given scale, without its unit. */
export function levelText(level: number | null | undefined, { offset }: Scale): string {
  return level == null ? NOTHING : one.format(level + offset).replace('-', '−');
}

export const percentText = (percent: number | null | undefined) =>
  percent == null ? NOTHING : `${one.format(percent)} %`;

export const hertzText = (hertz: number | null | undefined) =>
  hertz == null ? NOTHING : `${whole.format(hertz)} Hz`;

/** Such as `8 kHz`, for an axis. */
export const bandText = (hertz: number) =>
  hertz < 1000 ? hertzText(hertz) : `${whole.format(hertz / 1000)} kHz`;

export const countText = (count: number) => whole.format(count);

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const;

/** A length such as `3 min 20 s`: its two largest units. */
export function lengthText(seconds: number): string {
  if (seconds < 10) return `${one.format(seconds)} s`;
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const [length, unit] of UNITS) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${whole.format(count)} ${unit}`);
  }
  if (rest > 0) parts.push(`${rest} s`);
  return parts.slice(0, 2).join(' ');
}

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytesText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), BYTES.length - 1);
  const number = bytes / 1000 ** power;
  return `${(number < 10 && power > 0 ? one : whole).format(number)} ${BYTES[power]}`;
}

const clock = { hour: 'numeric', minute: '2-digit' } as const;
const seconds = { ...clock, second: '2-digit' } as const;
const day = { month: 'short', day: 'numeric' } as const;
const FORMS = {
  second: { ...day, ...seconds },
  minute: { ...day, ...clock },
  tenth: { ...seconds, fractionalSecondDigits: 1 },
  clock,
  seconds,
  day,
  date: { ...day, weekday: 'short', timeZone: 'UTC' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

type Precision = keyof typeof FORMS;

const made = new Map<string, Intl.DateTimeFormat>();

/** A time at a precision. A date of another year than this one has its year. */
export function timeText(time: number | string, precision: Precision = 'second'): string {
  return formatOf(precision, time).format(new Date(time));
}

/** From one time to another; what both share, such as the date, is written once. */
export function rangeText(from: number, to: number, precision: Precision = 'second'): string {
  return formatOf(precision, from).formatRange(from, to);
}

function formatOf(precision: Precision, time: number | string): Intl.DateTimeFormat {
  const at = new Date(time);
  const form: Intl.DateTimeFormatOptions = FORMS[precision];
  const year = form.timeZone === 'UTC' ? at.getUTCFullYear() : at.getFullYear();
  const hasYear = form.day !== undefined && year !== new Date().getFullYear();
  const key = `${precision} ${hasYear}`;
  const format =
    made.get(key) ?? new Intl.DateTimeFormat(locale, hasYear ? { ...form, year: 'numeric' } : form);
  made.set(key, format);
  return format;
}

const zone = new Intl.DateTimeFormat(locale, { timeZoneName: 'shortOffset' });

/** The reader's time zone, with its offset at a time, such as `Europe/Vienna (GMT+1)`. */
export function zoneText(at: number): string {
  const offset = zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  return `${TIME_ZONE} (${offset})`;
}
