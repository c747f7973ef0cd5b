// Cuts points into steps, each for one transaction.
import { instantOfMicros, microsOf, minuteOf } from '../contract/instant.ts';
import { addTime } from './progress.ts';

/** How many points a transaction stores or removes, plus any with the same time as its last one. */
export const POINTS_A_TRANSACTION = 50_000;

/** The points of one transaction. If points come oldest first, steps leave no gap between them. */
interface Step {
  count: number;
  first: string;
  last: string;
  readonly after: string;
  rows(): string;
}

/** @param csv pieces of whole lines. @param keepsMinutes whether points of a minute (UTC) in a row stay in one step */
export async function* stepsOf(
  csv: AsyncIterable<string>,
  pointsAStep = POINTS_A_TRANSACTION,
  keepsMinutes = false,
): AsyncGenerator<Step> {
  const together = (time: string) => (keepsMinutes ? minuteOf(time) : time);
  let lines: string[] = [];
  let step: Step | undefined;
  for await (const piece of csv)
    for (const row of piece.split('\n')) {
      if (row === '') continue;
      const time = row.slice(0, row.indexOf(','));
      if (step && step.count >= pointsAStep && together(time) !== together(step.last)) {
        yield step;
        lines = [];
        step = stepOf(lines, time, instantOfMicros(microsOf(step.last) + 1n));
      }
      step ??= stepOf(lines, time, time);
      lines.push(row);
      addTime(step, time);
    }
  if (step) yield step;
}

const stepOf = (lines: readonly string[], time: string, after: string): Step => ({
  count: 0,
  first: time,
  last: time,
  after,
  rows: () => `${lines.join('\n')}\n`,
});
