// Writes text into memory, several bytes at a time. A write may overrun its end by a few bytes: the next covers them.

/** By how many bytes at most. */
export const OVERRUN = 8;

/** A text that is written often, eight bytes to a number. ASCII is never the bits of a NaN. */
export interface Phrase {
  readonly eights: Float64Array;
  readonly length: number;
}

export function phraseOf(text: string): Phrase {
  const bytes = new Uint8Array(Math.ceil(text.length / 8) * 8);
  Buffer.from(bytes.buffer).write(text, 'latin1');
  const view = new DataView(bytes.buffer);
  const eights = Float64Array.from({ length: bytes.length / 8 }, (_, n) => view.getFloat64(n * 8, true));
  return { eights, length: text.length };
}

/** @returns where the next write begins, as all of these do */
export function putPhrase(text: DataView, at: number, { eights, length }: Phrase): number {
  for (let n = 0; n < eights.length; n++) text.setFloat64(at + n * 8, eights[n] ?? 0, true);
  return at + length;
}

const word = (text: string) => Buffer.from(text.padEnd(4)).readInt32LE();

/** From 0 to 999, with and without leading zeros. */
const THREE_DIGITS = Int32Array.from({ length: 1000 }, (_, n) => word(String(n).padStart(3, '0')));
const ALONE = Int32Array.from({ length: 1000 }, (_, n) => word(String(n)));

/** Three digits of a number from 0 to 999. */
export function putThree(text: DataView, at: number, number: number): number {
  text.setInt32(at, THREE_DIGITS[number] ?? 0, true);
  return at + 3;
}

const twoDigits = (end: string) =>
  Int32Array.from({ length: 60 }, (_, n) => word(String(n).padStart(2, '0') + end));
const [TIME, SECONDS] = [twoDigits(':'), twoDigits('.')];

/** A time of day such as `17:04:59.`, from its seconds. */
export function putTimeOfDay(text: DataView, at: number, seconds: number): number {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  text.setInt32(at, TIME[hours] ?? 0, true);
  text.setInt32(at + 3, TIME[minutes - hours * 60] ?? 0, true);
  text.setInt32(at + 6, SECONDS[seconds - minutes * 60] ?? 0, true);
  return at + 9;
}

/** A whole number from 0 to 2,147,483,647. */
export function putWhole(text: DataView, start: number, number: number): number {
  let at = start;
  if (number >= 1000) {
    const thousands = Math.floor(number / 1000);
    at = putWhole(text, at, thousands);
    return putThree(text, at, number - thousands * 1000);
  }
  text.setInt32(at, ALONE[number] ?? 0, true);
  return at + (number >= 100 ? 3 : number >= 10 ? 2 : 1);
}
