// Reads the values in another logger's line: level, frequency and silence.
import type { Fault } from '../commands/fault.ts';
import { FLOOR_DB } from '../contract/level-unit.ts';
import { HIGHEST_HZ, LOWEST_HZ } from '../contract/point.ts';

export interface ValueFault extends Fault {
  /** The level in the line, if it is out of range. */
  readonly givenDb?: number;
}

type Value = { readonly text: string; readonly isClipped?: boolean; readonly givenDb?: number } | ValueFault;

export interface ValueOptions {
  /** Added to each level. Undefined if no option gives it: levels above 0 are then an error. */
  readonly offsetDb: number | undefined;
  readonly clips: boolean;
  /** Texts that stand for a missing value. */
  readonly none: readonly string[];
}

/** Some loggers write a minus sign instead of a hyphen, and a unit after the number. */
const NUMBER =
  /^([-+\u2212]?\d{1,20}(?:[.,]\d{1,40})?(?:e[-+]?\d{1,3})?)\s?(?:dB(?:\s?(?:\(?[ACZ]\)?|FS|SPL))?|Hz)?$/i;
const SILENT = /^[-\u2212]inf(?:inity)?$/i;
const YES = ['true', 't', '1', 'yes', 'y'];
const NO = ['false', 'f', '0', 'no', 'n'];

export const isNumber = (text: string) => NUMBER.test(text);

/** @returns NaN if the text is not a number; -Infinity for digital silence */
function readNumber(text: string): number {
  if (SILENT.test(text)) return Number.NEGATIVE_INFINITY;
  const [, number] = NUMBER.exec(text) ?? [];
  return number === undefined ? Number.NaN : Number(number.replace(',', '.').replace('\u2212', '-'));
}

const noNumber = (what: string, text: string): ValueFault => ({
  kind: `the ${what} is not a number`,
  fault: `the ${what} ${shown(text)} is not a number: if it stands for a missing value, give --none ${shown(text)}; otherwise choose another column`,
});

/** @returns functions that read trimmed texts */
export function createValueReader({ offsetDb, clips, none }: ValueOptions) {
  const isNone = (text: string) => text === '' || none.includes(text);
  return {
    level(text: string): Value {
      if (isNone(text)) return { text: '' };
      const given = readNumber(text);
      if (Number.isNaN(given)) return noNumber('level', text);
      const givenDb = Number.isFinite(given) ? { givenDb: given } : {};
      const db = Number((given + (offsetDb ?? 0)).toFixed(6)); // removes rounding noise of the sum
      const stored = Math.min(0, Math.max(FLOOR_DB, db));
      if (stored === db || clips || (offsetDb === undefined && db > 0))
        return { text: String(stored + 0), isClipped: stored !== db, ...givenDb };
      const side = db > 0 ? 'above 0' : `below ${FLOOR_DB}`;
      const with_ = offsetDb ? ` with ${offsetDb} added` : '';
      return {
        kind: `the level is ${side}${with_}`,
        fault: `the level ${text}${with_} is ${db}, ${side}: choose another --reference-db, or store it as ${stored} with --clip`,
        ...givenDb,
      };
    },
    hertz(text: string): Value {
      if (isNone(text)) return { text: '' };
      const hertz = Math.round(readNumber(text));
      if (Number.isNaN(hertz)) return noNumber('frequency', text);
      if (hertz >= LOWEST_HZ && hertz <= HIGHEST_HZ) return { text: String(hertz) };
      if (clips) return { text: '', isClipped: true };
      return {
        kind: `the frequency is outside ${LOWEST_HZ} to ${HIGHEST_HZ} Hz`,
        fault: `the frequency ${text} is outside ${LOWEST_HZ} to ${HIGHEST_HZ} Hz: store no frequency with --clip, or skip the column with -`,
      };
    },
  };
}

export function readSilence(text: string): Value {
  const word = text.toLowerCase();
  if (YES.includes(word)) return { text: 'true' };
  if (NO.includes(word)) return { text: 'false' };
  return {
    kind: 'the silence is neither yes nor no',
    fault: `the silence ${shown(text)} must be true, t, 1, yes, y or false, f, 0, no, n`,
  };
}

const shown = (text: string) => JSON.stringify(text.slice(0, 80));
