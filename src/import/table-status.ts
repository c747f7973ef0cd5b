// Shows the progress of reading tables: the share that is done, the number of the file, and how many points.
import { createTicker, percent } from '../commands/progress.ts';
import type { RecorderIo } from '../recorder/recorder-io.ts';
import type { Reader } from './read-table.ts';

/** On a terminal, where each status replaces the previous one. */
const EVERY_MS = 250;
const LOGGED_EVERY_MS = 10_000;

/**
 * @param verb the work on the points, such as `checked`
 * @param index the number of the file, counted from 0
 */
export function createTableStatus(
  { status, isTerminal }: Pick<RecorderIo, 'status' | 'isTerminal'>,
  verb: string,
  index: number,
  files: number,
): Reader['show'] {
  const tick = createTicker(status, isTerminal ? EVERY_MS : LOGGED_EVERY_MS);
  const which = files === 1 ? '' : `file ${index + 1} of ${files}, `;
  return ([done, all], points) =>
    tick(() => `${percent(done, all)}, ${which}${points.toLocaleString('en')} points ${verb}`);
}
