// Answers as text. Points are written straight into it: they never become objects.
import type { WholeAnswer } from '../api/answers.ts';
import type { Operation } from '../api/operation.ts';
import { tableText } from '../api/table.ts';
import { CSV_TYPE, isLinesType } from '../contract/media-types.ts';
import type { Parts } from '../points/serialise.ts';

/** A text; a long one in parts, each sent when the one before is gone. */
export type Text = string | Buffer | Parts;

export function isParts(text: Text): text is Parts {
  return Array.isArray(text);
}

export function answerText(answer: WholeAnswer, type: string, { table }: Operation): Text | Promise<Text> {
  if (answer.kind === 'json' && type === CSV_TYPE && table) return tableText(table, answer.value);
  return answer.kind === 'points' && isLinesType(type) ? answer.value.points.lines(type) : answerJson(answer);
}

/**
 * @returns the JSON of an answer between two texts; where it holds points, the same for all who share the answer and
 *   pass the same texts
 */
export function answerJson({ kind, value }: WholeAnswer, before = '', after = ''): Text | Promise<Text> {
  if (kind === 'json') return `${before}${JSON.stringify(value)}${after}`;
  // a quotation mark within a string is escaped, so no other text of the answer looks like this
  const [head, tail, ...more] = JSON.stringify({ ...value, points: null }).split('"points":null');
  if (head === undefined || tail === undefined || more.length > 0)
    throw new Error('An answer with points may have one field points');
  return value.points.json(`${before}${head}"points":`, `${tail}${after}`);
}

/** A longer text stays in parts: it is not worth a copy. */
const SHORT_BYTES = 262_144;

export function joined(texts: readonly Text[]): Text {
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
