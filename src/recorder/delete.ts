// The `delete` command: removes the points of an interval.
import { Command } from 'commander';
import { INSTANT_ALLOWED, instantOfMicros, microsOf, parseInstant } from '../contract/instant.ts';
import { BadInput } from './bad-input.ts';
import { createOptionReader, type Given, repeated } from './option-reader.ts';
import { createTicker, pointsText } from './progress.ts';
import type { RecorderIo } from './recorder-io.ts';
import { openPoints } from './storing/open-points.ts';
import { findPoints, type PointInterval, removePoints } from './storing/point-store.ts';

const ABOUT = `Removes the points of an interval for good, 50,000 at a time, oldest first. Statistics follow. Without \
--yes it says how many there are, and removes none.`;

const EXAMPLE = `
  delete --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z
      says how many points that day has
  delete --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z --yes
      removes them`;

type GivenInterval = Given<'from' | 'to'>;

export function deleteCommand(open: () => RecorderIo): Command {
  return new Command('delete')
    .description(ABOUT)
    .addOption(repeated('--from <TIME>', `the beginning, which is in it: ${INSTANT_ALLOWED}`))
    .addOption(repeated('--to <TIME>', 'the end, which is not: written as --from'))
    .option('--yes', 'remove the points (default: only count them)')
    .addHelpText('after', EXAMPLE)
    .action(async ({ yes = false, ...given }: GivenInterval & { yes?: boolean }) => {
      const io = open();
      await deletePoints(readInterval(given, io.now()), yes, io);
    });
}

/** @throws BadInput that says how many there are, unless they are to be removed */
async function deletePoints(interval: PointInterval, isSure: boolean, io: RecorderIo): Promise<void> {
  await using db = await openPoints(io);
  if (!isSure) {
    const found = await findPoints(db, interval);
    if (found.count > 0) throw new BadInput(`Nothing is removed. --yes removes ${pointsText(found)}`);
    io.progress('No points are there.');
    return;
  }
  const tick = createTicker(io.progress);
  const removed = await removePoints(db, interval, (soFar) => {
    if (io.signal.aborted)
      throw new BadInput(`Interrupted: removed ${pointsText(soFar)}; the same command removes what is left`);
    tick(() => `Removed ${pointsText(soFar)} so far`);
  });
  io.progress(`Removed ${pointsText(removed)}.`);
}

/** @throws AppError BAD_REQUEST with one line for each wrong argument */
function readInterval(given: GivenInterval, now: string): PointInterval {
  const { read, has, fault, end } = createOptionReader<'from' | 'to'>(given);
  const [from, to] = (['from', 'to'] as const).map((name) => {
    if (!has(name)) return fault(`--${name}`, `missing; it must be ${INSTANT_ALLOWED}`);
    return read(name, (text) => parseInstant(text, now), INSTANT_ALLOWED);
  });
  if (from !== undefined && to !== undefined && from >= to) fault('--from', 'must be earlier than --to');
  end();
  return { first: from ?? '', last: to === undefined ? '' : instantOfMicros(microsOf(to) - 1n) };
}
