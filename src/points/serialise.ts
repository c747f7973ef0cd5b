// Serialises points: writes the lines that the database made of them as JSON and as CSV.
import { COLUMNS, type Column } from '../contract/point.ts';
import { nextTurn } from '../turns.ts';
import { FIELDS } from './select-lines.ts';

/** A long text: its parts one after another, each small enough to be worked on in one turn of the event loop. */
export type Parts = readonly Buffer[];

/** A format: what stands before the first point, around the values of each, and for null. */
interface Format {
  readonly open: Uint8Array;
  /** What stands before the first value, between each two, and after the last, in one. */
  readonly around: Uint8Array;
  /** Where each of these ends. */
  readonly ends: Uint16Array;
  readonly none: Uint8Array;
}

const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** @param point how a point is written, with a `?` for each value */
function formatOf(open: string, point: string, none: string): Format {
  const texts = point.split('?');
  let end = 0;
  const ends = Uint16Array.from(texts, ({ length }) => (end += length));
  return { open: ascii(open), around: ascii(texts.join('')), ends, none: ascii(none) };
}

const isInstant = (column: Column) => FIELDS[column].form === 'instant';
const inJson = COLUMNS.map((column) => `"${column}":${isInstant(column) ? '"?Z"' : '?'}`);
const inCsv = COLUMNS.map((column) => (isInstant(column) ? '?Z' : '?'));
const JSON_FORMAT = formatOf('[', `{${inJson.join()}},`, 'null');
const CSV_FORMAT = formatOf('', `${inCsv.join()}\n`, '');

const [TRUE, FALSE] = [ascii('true'), ascii('false')];

export const NEWLINE = 10;
const COMMA = 44;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
const LETTER_T = 84;
const LOWER_F = 102;
const LOWER_T = 116;
const BRACKET = 93;

/** The length of a time up to its seconds, and of a zone. */
const [SECONDS, ZONE] = ['YYYY-MM-DD HH:MM:SS'.length, '+00'.length];

/** The fields of a line, column by column: their form, the first byte of their null, and what ends them. */
const FORMS = ['instant', 'number', 'flag'];
const [NUMBER, FLAG] = [1, 2];
const FORM = Uint8Array.from(COLUMNS, (column) => FORMS.indexOf(FIELDS[column].form));
const NONE = Uint8Array.from(COLUMNS, (column) => FIELDS[column].none?.charCodeAt(0) ?? 0);
const END = Uint8Array.from(COLUMNS, (_, column) => (column === COLUMNS.length - 1 ? NEWLINE : COMMA));

/** The shortest line has a whole second, and a single character in every other field. */
const SHORTEST_LINE = SECONDS + ZONE + 2 * COLUMNS.length - 1;

/** No field grows by more: `false` from `f`, or a fraction of six digits from none, less the zone. */
const FIELD_GROWTH = 4;

/** How many times longer than its lines a text can be. */
const growthOf = ({ around }: Format) => 1 + (around.length + FIELD_GROWTH * COLUMNS.length) / SHORTEST_LINE;

const [JSON_GROWTH, CSV_GROWTH] = [growthOf(JSON_FORMAT), growthOf(CSV_FORMAT)];

/** More than is written of one point before its line is read to the end. */
const SLACK_BYTES = 1024;

/**
 * Where lines are put and text is made of them, in place. One room for the whole process, and so a buffer of
 * this module: new memory for each page cost a sixth of the processor time in garbage collection. It holds nothing
 * between two calls: what is written here is copied out before anything is awaited.
 */
const ROOM = Buffer.allocUnsafeSlow(2 ** 21);

/** @returns room for so many bytes of text. Lines at its very end are read before the text gets there. */
function roomFor(bytes: number): Buffer {
  const size = Math.ceil(bytes) + SLACK_BYTES;
  return size <= ROOM.length ? ROOM : Buffer.allocUnsafe(size);
}

/** The same, at once and in one piece. */
export function writeJson(lines: string, before: string, after: string): Buffer {
  if (lines === '') return Buffer.from(`${before}[]${after}`);
  const room = roomFor(lines.length * JSON_GROWTH + 3 * (before.length + after.length)); // UTF-8: at most 3 for each
  const source = room.subarray(room.length - lines.length);
  source.write(lines, 'latin1');
  let at = write(source, JSON_FORMAT, room, room.write(before));
  room[at - 1] = BRACKET; // in place of the last comma
  at += room.write(after, at);
  // copied also out of room of its own, which is longer and would be held until all is sent
  return Buffer.from(room.subarray(0, at));
}

/** @returns the JSON of an array of the points of some lines, between two texts; that of many has parts */
export function pointsJson(lines: string, before: string, after: string): Buffer | Promise<Parts> {
  return lines.length > TURN_CHARS ? writeInTurns(lines, before, after) : writeJson(lines, before, after);
}

/** How much of the lines is written in one turn of the event loop: some 3,000 points, in 2 ms. */
const TURN_CHARS = 131_072;

async function writeInTurns(lines: string, before: string, after: string): Promise<Parts> {
  const parts: Buffer[] = [];
  for (let from = 0; from < lines.length; ) {
    await nextTurn();
    const isLast = lines.length - from <= TURN_CHARS;
    const end = isLast ? lines.length : lines.lastIndexOf('\n', from + TURN_CHARS - 1) + 1;
    const part = writeJson(lines.slice(from, end), from === 0 ? before : '', isLast ? after : '');
    if (from > 0) part[0] = COMMA; // one array of them all
    parts.push(isLast ? part : part.subarray(0, -1));
    from = end;
  }
  return parts;
}

/** @returns CSV rows in pieces, from lines in pieces that may end anywhere; none from none */
export async function* csvRows(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let begun: Uint8Array = Buffer.of();
  for await (const piece of pieces) {
    const length = begun.length + piece.length;
    const room = roomFor(length * CSV_GROWTH);
    const source = room.subarray(room.length - length);
    source.set(begun);
    source.set(piece, begun.length);
    const end = source.lastIndexOf(NEWLINE) + 1;
    begun = Buffer.from(source.subarray(end));
    if (end === 0) continue;
    const size = write(source.subarray(0, end), CSV_FORMAT, room, 0);
    yield Buffer.from(room.subarray(0, size)); // copied, because others write in the room too
  }
  if (begun.length > 0) throw new Error('The last line of the points has no end');
}

/**
 * One pass over the bytes: this runs for every point that is read.
 *
 * @returns where the text ends
 */
function write(lines: Uint8Array, { open, around, ends, none }: Format, text: Buffer, start: number): number {
  let at = put(text, start, open);
  let from = 0;
  while (from < lines.length) {
    let next = 0;
    for (let column = 0; column < FORM.length; column++) {
      for (const end = ends[column] ?? 0; next < end; next++) text[at++] = around[next] ?? 0;
      const form = FORM[column];
      const end = END[column];
      if (form === NUMBER) {
        const begin = at;
        let byte = lines[from];
        if (byte === NONE[column]) {
          at = put(text, at, none);
          while (byte !== end && byte !== undefined) byte = lines[++from];
        } else {
          for (; byte !== end && byte !== undefined; byte = lines[++from]) text[at++] = byte;
          if (at === begin) throw unknownForm();
        }
      } else if (form === FLAG) {
        const flag = lines[from++];
        if (flag !== LOWER_T && flag !== LOWER_F) throw unknownForm();
        at = put(text, at, flag === LOWER_T ? TRUE : FALSE);
      } else {
        for (const end = from + SECONDS; from < end; from++) text[at++] = lines[from] ?? 0;
        text[at - 9] = LETTER_T;
        text[at++] = DOT;
        if (lines[from] === DOT) from++;
        for (let n = 0; n < 6; n++) text[at++] = isDigit(lines[from]) ? (lines[from++] ?? ZERO) : ZERO;
        if (lines[from + 1] !== ZERO || lines[from + 2] !== ZERO) throw unknownForm();
        from += ZONE;
      }
      if (lines[from++] !== end) throw unknownForm();
    }
    for (; next < around.length; next++) text[at++] = around[next] ?? 0;
  }
  return at;
}

function unknownForm(): Error {
  return new Error('The lines of the points have an unknown form');
}

/** @returns where the next bytes go */
function put(text: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) text[at++] = bytes[i] ?? 0;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
