// audio.range: the points of an interval, page by page.
import { RangeInput, RangeOutput } from '../contract/audio.ts';
import { Position } from '../points/page.ts';
import { rangePoints } from '../queries/points/range-points.ts';
import { readPage, writeCursor } from './interval-and-cursor.ts';
import { LIGHT_POINTS, operation } from './operation.ts';

export const range = operation({
  name: 'audio.range',
  kind: 'points',
  summary: 'The points of an interval',
  description:
    'Oldest first, page by page: while next_cursor is not null, pass it as cursor to get the next page.',
  input: RangeInput,
  output: RangeOutput,
  hasLines: true,
  cache: 'revalidated',
  isHeavy: ({ limit }) => limit > LIGHT_POINTS,
  async answer({ db, now, pageType }, input) {
    const { page, position } = readPage('audio.range', null, input, now, Position);
    const { points, next } = await rangePoints(db, page.interval, input.limit, position, pageType);
    return { kind: 'points', value: { ...page.interval, points, next_cursor: writeCursor(page, next) } };
  },
});
