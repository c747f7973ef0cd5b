// Reads the values of another logger's line: levels, frequencies, and whether it was silent.
import { FLOOR_DB } from '../../contract/level-unit.ts';
import { HIGHEST_HZ, LOWEST_HZ } from '../../contract/point.ts';

/** What is wrong with a value. */
export interface ValueFault {
  /** What is wrong with any such line. */
  readonly kind: string;
  /** What is wrong with this one, and what is allowed or to be typed. */
  readonly fault: string;
  /** The level that it gives, where that is out of range. */
  readonly givenDb?: number;
}

type Value = { readonly text: string; readonly isClipped?: boolean; readonly givenDb?: number } | ValueFault;

/** What is made of the values of a line. */
export interface Values {
  /** Added to each level; undefined if nobody said what, so that levels above 0 wait for that. */
  readonly offsetDb: number | undefined;
  /** Whether values out of range are stored at its end. */
  readonly clips: boolean;
  /** What stands in a column for no value. */
  readonly none: readonly string[];
}

/** Some write a minus sign in place of a hyphen, and the unit behind the number. */
const NUMBER =
  /^([-+\u2212]?\d{1,20}(?:[.,]\d{1,40})?(?:e[-+]?\d{1,3})?)\s?(?:dB(?:\s?(?:\(?[ACZ]\)?|FS|SPL))?|Hz)?$/i;
const SILENT = /^[-\u2212]inf(?:inity)?$/i;
const YES = ['true', 't', '1', 'yes', 'y'];
const NO = ['false', 'f', '0', 'no', 'n'];

export const isNumber = (text: string) => NUMBER.test(text);

/** @returns NaN for what is none; a level of digital silence is -Infinity */
function readNumber(text: string): number {
  if (SILENT.test(text)) return Number.NEGATIVE_INFINITY;
  const [, number] = NUMBER.exec(text) ?? [];
  return number === undefined ? Number.NaN : Number(number.replace(',', '.').replace('\u2212', '-'));
}

const noNumber = (what: string, text: string): ValueFault => ({
  kind: `the ${what} is no number`,
  fault: `the ${what} ${shown(text)} is no number: if it stands for no value, say --none ${shown(text)}; if not, choose another column`,
});

/** @returns functions that read a text that is trimmed */
export function createValueReader({ offsetDb, clips, none }: Values) {
  const isNone = (text: string) => text === '' || none.includes(text);
  return {
    level(text: string): Value {
      if (isNone(text)) return { text: '' };
      const given = readNumber(text);
      if (Number.isNaN(given)) return noNumber('level', text);
      const givenDb = Number.isFinite(given) ? { givenDb: given } : {};
      const db = Number((given + (offsetDb ?? 0)).toFixed(6)); // no digits that the sum makes up
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
        fault: `the frequency ${text} is outside ${LOWEST_HZ} to ${HIGHEST_HZ} Hz: store none there with --clip, or leave its column out with -`,
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
    fault: `the silence ${shown(text)} is neither true, t, 1, yes nor false, f, 0, no`,
  };
}

const shown = (text: string) => JSON.stringify(text.slice(0, 80));
