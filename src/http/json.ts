// Answers as JSON text. Points are written straight into it: they never become objects.
import { Points } from '../points/points.ts';
import type { Parts } from '../points/serialise.ts';

export type Json = string | Buffer | Parts;

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

/** A longer text stays in parts: it is not worth a copy. */
const SHORT_BYTES = 262_144;

/** @returns the texts one after another */
export function joined(texts: readonly Json[]): Json {
  const [only = '', ...others] = texts;
  if (others.length === 0) return only;
  const parts = texts.flatMap((text) => (typeof text === 'string' ? Buffer.from(text) : text));
  const length = lengthOf(parts);
  if (length > SHORT_BYTES) return parts;
  return texts.every((text) => typeof text === 'string') ? texts.join('') : Buffer.concat(parts, length);
}

export function lengthOf(parts: Parts): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
