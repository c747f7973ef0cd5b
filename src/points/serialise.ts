// Serialises points: from rows in binary, as the database sends them, to JSON and to lines of text.
import {
  CSV_TYPE,
  decimalCommas,
  type LinesType,
  NDJSON_TYPE,
  SEMICOLON_TYPE,
} from '../contract/media-types.ts';
import { COLUMNS, type Column, CSV_HEADER } from '../contract/point.ts';
import { nextRow } from '../db/binary-rows.ts';
import { OVERRUN, type Phrase, phraseOf, putPhrase, putWhole } from './byte-writer.ts';
import {
  BYTES,
  INSTANT,
  INTEGER,
  LENGTH_BYTES,
  REAL,
  START_BYTES,
  TYPE,
  unknownForm,
} from './column-types.ts';
import { INSTANT_LENGTH, putInstant } from './instant-text.ts';
import { LONGEST_LEVEL, putLevel } from './level-text.ts';

/** A format: what stands before the first point, around the values of each, and for null. */
interface Format {
  readonly open: Phrase;
  /** Before the first value, between each two, and after the last. */
  readonly around: readonly Phrase[];
  readonly none: Phrase;
  /** How long a point can be. */
  readonly longest: number;
}

/** How long the text of a value can be, by its type: an instant, a real, an integer, a boolean. */
const LONGEST_TEXTS = [INSTANT_LENGTH, LONGEST_LEVEL, '2147483647'.length, 'false'.length];
const LONGEST = TYPE.reduce((sum, type) => sum + (LONGEST_TEXTS[type] ?? 0), 0);

/** @param point how a point is written, with a `?` for each value */
function formatOf(open: string, point: string, none: string): Format {
  const longest = point.length + LONGEST;
  return { open: phraseOf(open), around: point.split('?').map(phraseOf), none: phraseOf(none), longest };
}

const isInstant = (column: Column) => TYPE[COLUMNS.indexOf(column)] === INSTANT;
const inJson = COLUMNS.map((column) => `"${column}":${isInstant(column) ? '"?"' : '?'}`);
const JSON_FORMAT = formatOf('[', `{${inJson.join()}},`, 'null');
const CSV_FORMAT = { ...formatOf('', `${COLUMNS.map(() => '?').join()}\n`, ''), head: `${CSV_HEADER}\n` };
const LINE_FORMATS: Readonly<Record<LinesType, Format & { readonly head: string }>> = {
  [CSV_TYPE]: CSV_FORMAT,
  [SEMICOLON_TYPE]: CSV_FORMAT,
  [NDJSON_TYPE]: { ...formatOf('', `{${inJson.join()}}\n`, 'null'), head: '' },
};

const [TRUE, FALSE] = [phraseOf('true'), phraseOf('false')];

const BRACKET = 93;

const SHORTEST_ROW = START_BYTES + LENGTH_BYTES * COLUMNS.length;

/**
 * Scratch memory, shared by all calls: new memory for each page cost a sixth of the processor time in garbage
 * collection. It holds nothing between two calls: text is copied out before anything is awaited.
 */
const ROOM = Buffer.allocUnsafeSlow(2 ** 20);

/** @returns memory for the text of some rows and `more` bytes */
function roomFor(rows: Buffer, { longest }: Format, more = 0): Buffer {
  const size = Math.ceil(rows.length / SHORTEST_ROW) * longest + more + OVERRUN;
  return size <= ROOM.length ? ROOM : Buffer.allocUnsafe(size);
}

/** @returns the JSON of an array of the points of some rows, between two texts */
export function writeJson(rows: Buffer, before: string, after: string): Buffer {
  if (rows.length === 0) return Buffer.from(`${before}[]${after}`);
  const room = roomFor(rows, JSON_FORMAT, 3 * (before.length + after.length)); // UTF-8: at most 3 for each
  let at = write(rows, JSON_FORMAT, room, room.write(before));
  room[at - 1] = BRACKET; // in place of the last comma
  at += room.write(after, at);
  // copied in any case: the memory is longer, and would be held until all is sent
  return Buffer.from(room.subarray(0, at));
}

/** @returns the points of some rows as lines, after the head of the file where they are its first */
export function writeLines(rows: Buffer, type: LinesType, isFirst: boolean): Buffer {
  const format = LINE_FORMATS[type];
  const head = isFirst ? format.head : '';
  const room = roomFor(rows, format, head.length);
  const text = room.subarray(0, write(rows, format, room, room.write(head, 'latin1')));
  if (type === SEMICOLON_TYPE) return Buffer.from(decimalCommas(text.toString('latin1')), 'latin1');
  return Buffer.from(text);
}

/**
 * One pass over the bytes, because it runs for every point that is read.
 *
 * @returns where the text ends
 */
function write(rows: Buffer, { open, around, none }: Format, room: Buffer, start: number): number {
  const row = new DataView(rows.buffer, rows.byteOffset, rows.length);
  const text = new DataView(room.buffer, room.byteOffset, room.length);
  let at = putPhrase(text, start, open);
  for (let from = 0; from < rows.length; ) {
    const end = nextRow(rows, from);
    if (end > rows.length) throw unknownForm();
    from += START_BYTES;
    for (let column = 0; column < TYPE.length; column++) {
      at = putPhrase(text, at, around[column] ?? none);
      const length = from + LENGTH_BYTES <= end ? row.getInt32(from) : 0;
      from += LENGTH_BYTES;
      if (length === -1) {
        at = putPhrase(text, at, none);
        continue;
      }
      if (length !== BYTES[column] || from + length > end) throw unknownForm();
      const type = TYPE[column];
      if (type === INSTANT) at = putInstant(text, at, row.getInt32(from), row.getUint32(from + 4));
      else if (type === REAL) at = putLevel(text, at, row.getInt32(from));
      else if (type === INTEGER) at = putWhole(text, at, notNegative(row.getInt32(from)));
      else at = putPhrase(text, at, row.getUint8(from) === 0 ? FALSE : TRUE);
      from += length;
    }
    if (from !== end) throw unknownForm();
    at = putPhrase(text, at, around[TYPE.length] ?? none);
  }
  return at;
}

/** No column has numbers below 0. */
function notNegative(number: number): number {
  if (number < 0) throw unknownForm();
  return number;
}
