// The `delete` command: removes the points of an interval.
import { Command } from 'commander';
import { INSTANT_ALLOWED, instantOfMicros, microsOf, parseInstant } from '../contract/instant.ts';
import { BadInput } from './bad-input.ts';
import { createOptionReader, type Given, repeated } from './option-reader.ts';
import { createTicker, pointsText } from './progress.ts';
import type { RecorderIo } from './recorder-io.ts';
import { openPoints } from './storing/open-points.ts';
import { publishNewest } from './storing/periods/published-periods.ts';
import { findPoints, type PointInterval, removePoints } from './storing/point-store.ts';

const ABOUT = `Permanently deletes the points of an interval, 50,000 at a time, oldest first, and updates the statistics. \
Without --yes it only counts the points.`;

const EXAMPLE = `
  delete --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z
      counts the points of that day
  delete --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z --yes
      removes them`;

type GivenInterval = Given<'from' | 'to'>;

export function deleteCommand(open: () => RecorderIo): Command {
  return new Command('delete')
    .description(ABOUT)
    .addOption(repeated('--from <TIME>', `the start, inclusive: ${INSTANT_ALLOWED}`))
    .addOption(repeated('--to <TIME>', 'the end, exclusive; the same formats as --from'))
    .option('--yes', 'delete the points (default: only count them)')
    .addHelpText('after', EXAMPLE)
    .action(async ({ yes = false, ...given }: GivenInterval & { yes?: boolean }) => {
      const io = open();
      await deletePoints(readInterval(given, io.now()), yes, io);
    });
}

/** @throws BadInput with the number of points, if --yes is missing */
async function deletePoints(interval: PointInterval, isSure: boolean, io: RecorderIo): Promise<void> {
  await using db = await openPoints(io);
  if (!isSure) {
    const found = await findPoints(db, interval);
    if (found.count > 0) throw new BadInput(`Nothing was deleted. --yes deletes ${pointsText(found)}`);
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

/** @throws AppError BAD_REQUEST with one line per wrong argument */
function readInterval(given: GivenInterval, now: string): PointInterval {
  const { read, has, fault, end } = createOptionReader<'from' | 'to'>(given);
  const [from, to] = (['from', 'to'] as const).map((name) => {
    if (!has(name)) return fault(`--${name}`, `required; it must be ${INSTANT_ALLOWED}`);
    return read(name, (text) => parseInstant(text, now), INSTANT_ALLOWED);
  });
  if (from !== undefined && to !== undefined && from >= to) fault('--from', 'must be earlier than --to');
  end();
  return { first: from ?? '', last: to === undefined ? '' : instantOfMicros(microsOf(to) - 1n) };
}
