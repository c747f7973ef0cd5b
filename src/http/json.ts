// Answers as JSON text. Points are written straight into it: they never become objects.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Points } from '../points/serialise.ts';

/** What takes about a millisecond to copy. */
const LONG_BYTES = 1_048_576;

export type Json = string | Buffer;

/**
 * @returns the JSON of an answer between two texts; where it holds points, the same for all who share the answer and
 *   pass the same texts
 */
export function json(answer: unknown, before = '', after = ''): Json | Promise<Json> {
  for (const [name, value] of Object.entries(Object(answer))) {
    if (!(value instanceof Points)) continue;
    // a quotation mark within a string is escaped, so no text of the answer looks like this
    const texts = JSON.stringify({ ...Object(answer), [name]: null }).split(`"${name}":null`);
    const [head, tail, ...more] = texts;
    if (head === undefined || tail === undefined || more.length > 0)
      throw new Error(`An answer with points may have one field ${name}`);
    return value.json(`${before}${head}"${name}":`, `${tail}${after}`);
  }
  return `${before}${JSON.stringify(answer)}${after}`;
}

/** @returns the texts one after another; copied at most once, one in each turn of the event loop where they are long */
export async function joined(texts: readonly Json[]): Promise<Json> {
  const [only = '', ...others] = texts;
  if (others.length === 0) return only;
  if (texts.every((text) => typeof text === 'string')) return texts.join('');
  const parts = texts.map((text) => (typeof text === 'string' ? Buffer.from(text) : text));
  const all = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    at += part.copy(all, at);
    if (part.length > LONG_BYTES) await nextTurn();
  }
  return all;
}
