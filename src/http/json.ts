// Answers as JSON text. Points are written straight into it: they never become objects.
import { Points } from '../points/serialise.ts';

export type Json = string | Buffer;

/** @returns the JSON of an answer; where it holds points, the same text for all who share the answer */
export function json(answer: unknown): Json {
  for (const [name, value] of Object.entries(Object(answer))) {
    if (!(value instanceof Points)) continue;
    // a quotation mark within a string is escaped, so no text of the answer looks like this
    const texts = JSON.stringify({ ...Object(answer), [name]: null }).split(`"${name}":null`);
    const [before, after, ...more] = texts;
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`An answer with points may have one field ${name}`);
    return value.json(`${before}"${name}":`, after);
  }
  return JSON.stringify(answer);
}

/** @returns the texts one after another; copied at most once */
export function joined(texts: readonly Json[]): Json {
  const [only = '', ...others] = texts;
  if (others.length === 0) return only;
  if (texts.every((text) => typeof text === 'string')) return texts.join('');
  return Buffer.concat(texts.map((text) => (typeof text === 'string' ? Buffer.from(text) : text)));
}
