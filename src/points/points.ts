// How points are written, as JSON and as CSV: from the lines that the database makes of them.
//
// A line is `2026-01-01 00:00:00.12+00,-23.4,440,f`, as COPY writes it in the sessions of this service: the
// fraction of a second as short as it can be, `NaN` for no level, `0` for no frequency. An object for each
// point would cost far more.

/** What stands before, between and after the fields of a point. */
interface Form {
  readonly open: Uint8Array;
  readonly time: Uint8Array;
  readonly level: Uint8Array;
  readonly frequency: Uint8Array;
  readonly silence: Uint8Array;
  readonly close: Uint8Array;
  readonly nothing: Uint8Array;
}

const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

const JSON_FORM: Form = {
  open: ascii('['),
  time: ascii('{"time":"'),
  level: ascii('Z","rms_db":'),
  frequency: ascii(',"frequency_hz":'),
  silence: ascii(',"is_silence":'),
  close: ascii('},'),
  nothing: ascii('null'),
};

const CSV_FORM: Form = {
  open: ascii(''),
  time: ascii(''),
  level: ascii('Z,'),
  frequency: ascii(','),
  silence: ascii(','),
  close: ascii('\n'),
  nothing: ascii(''),
};

const [TRUE, FALSE] = [ascii('true'), ascii('false')];

/** The bytes that matter. */
const NEWLINE = 10;
const COMMA = 44;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
const LETTER_N = 78;
const LETTER_T = 84;
const BRACKET = 93;
const TRUTH = 116;

/** The length of a time up to its seconds. */
const SECONDS = 'YYYY-MM-DD HH:MM:SS'.length;

/**
 * Room for a text, in lengths of its lines. The shortest line grows most: from 29 bytes to 37 as CSV, to 89 as
 * JSON. The rest is for what is written of a line before its end is read.
 */
const [CSV_GROWTH, JSON_GROWTH] = [1.5, 3.5];

/**
 * Where lines are put and text is made of them, in place: new memory for each page would cost the most. What is
 * written here is copied before anything is awaited.
 */
const ROOM = Buffer.allocUnsafeSlow(2 ** 21);

/** @returns room for so many bytes. Lines at its very end are read before the text, which grows as above, gets there */
function roomFor(bytes: number): Buffer {
  return bytes <= ROOM.length ? ROOM : Buffer.allocUnsafe(Math.ceil(bytes));
}

/** Up to here a text is sent sooner as a string. */
const STRING_BYTES = 131_072;

/** @returns the JSON of an array of the points, with what is to stand before and after it: copied together, once */
export function pointsJson(lines: string, before = '', after = ''): string | Buffer {
  if (lines === '') return `${before}[]${after}`;
  const room = roomFor(lines.length * JSON_GROWTH + 3 * (before.length + after.length)); // UTF-8: at most 3 for each
  const source = room.subarray(room.length - lines.length);
  source.write(lines, 'latin1');
  let at = write(source, JSON_FORM, room, room.write(before));
  room[at - 1] = BRACKET; // in place of the last comma
  at += room.write(after, at);
  // copied also out of room of its own, which is longer and would be held until all is sent
  return at <= STRING_BYTES ? room.toString('utf8', 0, at) : Buffer.from(room.subarray(0, at));
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
    const size = write(source.subarray(0, end), CSV_FORM, room, 0);
    yield Buffer.from(room.subarray(0, size)); // copied, because others write in the room too
  }
  if (begun.length > 0) throw new Error('The last line of the points has no end');
}

/**
 * One pass over the bytes: this runs for every point that is read.
 *
 * @returns where the text ends
 */
function write(lines: Uint8Array, form: Form, text: Buffer, start: number): number {
  let at = put(text, start, form.open);
  let from = 0;
  while (from < lines.length) {
    at = put(text, at, form.time);
    at = put(text, at, lines, from, from + SECONDS);
    text[at - 9] = LETTER_T;
    text[at++] = DOT;
    from += SECONDS;
    if (lines[from] === DOT) from++;
    for (let n = 0; n < 6; n++) text[at++] = isDigit(lines[from]) ? (lines[from++] ?? ZERO) : ZERO;
    if (lines[from + 1] !== ZERO || lines[from + 2] !== ZERO || lines[from + 3] !== COMMA)
      throw unknownForm();
    from += '+00,'.length;
    at = put(text, at, form.level);
    let comma = endOfField(lines, from);
    if (comma === from) throw unknownForm();
    at = lines[from] === LETTER_N ? put(text, at, form.nothing) : put(text, at, lines, from, comma);
    from = comma + 1;
    at = put(text, at, form.frequency);
    comma = endOfField(lines, from);
    if (comma === from) throw unknownForm();
    at = lines[from] === ZERO ? put(text, at, form.nothing) : put(text, at, lines, from, comma);
    from = comma + 1;
    at = put(text, at, form.silence);
    at = put(text, at, lines[from] === TRUTH ? TRUE : FALSE);
    at = put(text, at, form.close);
    if (lines[from + 1] !== NEWLINE) throw unknownForm();
    from += 2;
  }
  return at;
}

function unknownForm(): Error {
  return new Error('The lines of the points have an unknown form');
}

/** @returns where the next bytes go */
function put(text: Uint8Array, at: number, bytes: Uint8Array, from = 0, to = bytes.length): number {
  for (; from < to; from++) text[at++] = bytes[from] ?? 0;
  return at;
}

function endOfField(lines: Uint8Array, from: number): number {
  while (from < lines.length && lines[from] !== COMMA) from++;
  return from;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
