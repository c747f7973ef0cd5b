// Answers as text. Points are text already: the database wrote them.
import type { WholeAnswer } from '../api/answers.ts';
import type { Operation } from '../api/operation.ts';
import { tableText } from '../api/table.ts';
import { CSV_TYPE, isLinesType } from '../contract/media-types.ts';

export function answerText(answer: WholeAnswer, type: string, { table }: Operation): string {
  if (answer.kind === 'json' && type === CSV_TYPE && table) return tableText(table, answer.value);
  return answer.kind === 'points' && isLinesType(type) ? answer.value.points.text : answerJson(answer);
}

/** @returns the JSON of an answer, its points last */
export function answerJson({ kind, value }: WholeAnswer): string {
  if (kind === 'json') return JSON.stringify(value);
  const { points, ...others } = value;
  const text = JSON.stringify(others).slice(0, -1);
  return `${text}${text === '{' ? '' : ','}"points":${points.text}}`;
}
