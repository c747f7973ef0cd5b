// Answers as text. Points are text already: the database wrote them.
import type { Route } from '../api/internals/routes.ts';
import { CSV_TYPE, isLinesType } from '../contract/media-types.ts';
import { Points } from '../points/points.ts';
import { columnsOf, tableText } from './table.ts';

/** @returns what writes the answers of a route: points last in JSON, or their lines alone */
export function createAnswerWriter({ rows, output }: Route) {
  const columns = rows === undefined ? [] : columnsOf(output, rows);
  return (answer: object, type: string): string => {
    if (rows !== undefined && type === CSV_TYPE) return tableText(columns, Reflect.get(answer, rows));
    if (!('points' in answer && answer.points instanceof Points)) return JSON.stringify(answer);
    const { points, ...others } = answer;
    if (isLinesType(type)) return points.text;
    const text = JSON.stringify(others).slice(0, -1);
    return `${text}${text === '{' ? '' : ','}"points":${points.text}}`;
  };
}
