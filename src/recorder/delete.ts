// The `delete` command: removes the points of an interval.
import { Command } from 'commander';
import {
  declareOptions,
  type GivenInterval,
  INTERVAL,
  intervalBetween,
} from '../commands/command-options.ts';
import { BadInput } from '../commands/input-files.ts';
import { createTicker, isSome, pointsText } from '../commands/progress.ts';
import type { RecorderIo } from './recorder-io.ts';
import { openPoints } from './storing/open-points.ts';
import { publishNewest } from './storing/periods/note-periods.ts';
import { findPoints, type PointInterval, pointsWithin, removePoints } from './storing/point-store.ts';

const ABOUT = `Permanently deletes the points of an interval, 50,000 at a time, oldest first, and updates the statistics. Deletes each \
minute of history that the interval touches, too. \
Without --yes it only counts the points.`;

const EXAMPLE = `
  delete --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z
      counts the points of that day
  delete --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z --yes
      removes them`;

export const deleteCommand = (open: () => RecorderIo): Command =>
  declareOptions(new Command('delete').description(ABOUT), INTERVAL)
    .option('--yes', 'delete the points (default: only count them)')
    .addHelpText('after', EXAMPLE)
    .action(async ({ yes = false, ...given }: GivenInterval & { yes?: boolean }, command: Command) => {
      const io = open();
      await deletePoints(pointsWithin(intervalBetween(given, io.now(), command)), yes, io);
    });

/** @throws BadInput with the number of points, if --yes is missing */
async function deletePoints(interval: PointInterval, isSure: boolean, io: RecorderIo): Promise<void> {
  await using db = await openPoints(io);
  if (!isSure) {
    const found = await findPoints(db, interval);
    if (isSome(found)) throw new BadInput(`Nothing was deleted. --yes deletes ${pointsText(found)}`);
    io.progress('There are no points in this interval.');
    return;
  }
  const tick = createTicker(io.progress);
  const removed = await removePoints(db, interval, (soFar) => {
    if (io.signal.aborted)
      throw new BadInput(
        `Interrupted after deleting ${pointsText(soFar)}. Run the same command again to delete the rest`,
      );
    tick(() => `Deleted ${pointsText(soFar)} so far`);
  });
  if (io.database === 'embedded') await publishNewest(await io.openSpool(), db);
  io.progress(`Deleted ${pointsText(removed)}.`);
}
