// Reads the values in another logger's line: level, frequency and silence.
import { type LineFault, textFault } from '../commands/fault.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { HIGHEST_HZ, LOWEST_HZ } from '../contract/point.ts';
import type { Layout } from './import-options.ts';

type Value = { readonly text: string; readonly isClipped?: boolean; readonly givenDb?: number } | LineFault;

/** Some loggers write a minus sign instead of a hyphen, a unit after the number, or quote it for a spreadsheet. */
const NUMBER =
  /^(?:'|=")?([-+\u2212]?\d{1,20}(?:[.,]\d{1,40})?(?:e[-+]?\d{1,3})?)\s?(?:(dB)(?:\s?(?:\(?([ABCDGZ])\)?|FS|SPL))?|(Hz))?"?$/i;
const SILENT = /^[-\u2212]inf(?:inity)?$/i;
const YES = ['true', 't', '1', 'yes', 'y'];
const NO = ['false', 'f', '0', 'no', 'n'];

export const isNumber = (text: string) => NUMBER.test(text);

/** @returns undefined if the text is not a number of this unit; -Infinity for digital silence */
function readNumber(text: string, unit: 'dB' | 'Hz') {
  const [, number, db, weighting, hertz] = NUMBER.exec(text) ?? [];
  if (number === undefined) return SILENT.test(text) ? { value: Number.NEGATIVE_INFINITY } : undefined;
  if (unit === 'dB' ? hertz : db) return undefined;
  const value = Number(number.replace(',', '.').replace('\u2212', '-'));
  return { value, weighting: weighting?.toUpperCase() };
}

/** @returns why values of this range are no levels; undefined if they may be */
export function notDecibels(lowest: number, median: number, highest: number): string | undefined {
  const isVolts = lowest >= 0 && highest < 25 && highest - lowest < 10;
  if (median <= 200 && !isVolts) return undefined;
  const what = isVolts ? 'volts perhaps' : 'perhaps counts, or tenths of a decibel (--scale 0.1)';
  return `these values are no decibels, but ${what}: choose another column`;
}

/** @returns functions that read trimmed texts */
export function createValueReader({ scale, offsetDb, weighting, clip, none }: Layout) {
  const isNone = (text: string) => text === '' || none.includes(text);
  /** By default, that of the first level that names one. */
  let known: string | undefined = weighting;
  let hasNumber = false;

  const noNumber = (what: string, text: string): LineFault => ({
    ...textFault(what, text, 'is not a number'),
    advise(texts) {
      const given = [...new Set(texts)].map((word) => `--none ${shown(word)}`);
      return hasNumber && given.length <= 3
        ? `: if it stands for a missing value, give ${given.join(' ')}; otherwise choose another column`
        : ': choose another column';
    },
  });

  return {
    level(text: string): Value {
      if (isNone(text)) return { text: '' };
      const number = readNumber(text, 'dB');
      if (!number) return noNumber('level', text);
      known ??= number.weighting;
      if (number.weighting !== undefined && number.weighting !== known)
        return {
          kind: `the level is not weighted ${known}`,
          fault: `the level ${shown(text)} is weighted ${number.weighting}, but ${weighting ? '--weighting is' : 'those before it are weighted'} ${known}. Choose one weighting by another column, or skip the others with --weighting and --skip-bad`,
        };
      hasNumber = true;
      const given = Number((number.value * scale).toFixed(6));
      const givenDb = Number.isFinite(given) ? { givenDb: given } : {};
      const db = Number((given + (offsetDb ?? 0)).toFixed(6)); // removes rounding noise of the sum
      const stored = Math.min(0, Math.max(FLOOR_DB, db));
      if (stored === db || clip || (offsetDb === undefined && db > 0))
        return { text: String(stored + 0), isClipped: stored !== db, ...givenDb };
      const side = db > 0 ? 'above 0' : `below ${FLOOR_DB}`;
      const with_ = offsetDb ? ` with ${offsetDb} added` : '';
      return {
        kind: `the level is ${side}${with_}`,
        fault: `the level ${text}${with_} is ${db}, ${side}`,
        ...givenDb,
        text,
        advise(texts) {
          const values = texts
            .map((one) => (readNumber(one, 'dB')?.value ?? 0) * scale)
            .sort((a, b) => a - b);
          const none = notDecibels(values[0] ?? 0, values[values.length >> 1] ?? 0, values.at(-1) ?? 0);
          return `: ${none ?? `choose another --reference-db, or store it as ${stored} with --clip`}`;
        },
      };
    },
    hertz(text: string): Value {
      if (isNone(text)) return { text: '' };
      const number = readNumber(text, 'Hz');
      if (!number) return noNumber('frequency', text);
      const hertz = Math.round(number.value);
      if (hertz >= LOWEST_HZ && hertz <= HIGHEST_HZ) return { text: String(hertz) };
      if (clip) return { text: '', isClipped: true };
      const range = `${LOWEST_HZ} to ${HIGHEST_HZ} Hz`;
      const more = ': store no frequency with --clip, or skip the column with -';
      return textFault('frequency', text, `is outside ${range}`, more);
    },
  };
}

export function readSilence(text: string): Value {
  const word = text.toLowerCase();
  if (YES.includes(word)) return { text: 'true' };
  if (NO.includes(word)) return { text: 'false' };
  return textFault(
    'silence',
    text,
    'is neither yes nor no',
    ': it must be true, t, 1, yes, y or false, f, 0, no, n',
  );
}

const shown = (text: string) => JSON.stringify(text.slice(0, 80));
