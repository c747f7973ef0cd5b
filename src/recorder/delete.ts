// The `delete` command: removes the points of an interval.
import { Command } from 'commander';
import { INSTANT_ALLOWED, instantOfMicros, microsOf, parseInstant } from '../contract/instant.ts';
import { BadInput } from './bad-input.ts';
import { createOptionReader, type Given, repeated } from './option-reader.ts';
import { openPointStore } from './point-store.ts';
import { pointsText } from './progress.ts';
import type { RecorderIo } from './recorder-io.ts';
import { nothing, type PointInterval } from './store-interval.ts';

const ABOUT = `Removes the points of an interval for good, all of them in one transaction. Statistics follow. Without \
--yes it says how many there are, and removes none.`;

const EXAMPLE = `
  delete --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z
      says how many points that day has
  delete --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z --yes
      removes them`;

const ASKED = 'Another process has the database: it is asked through the spool.';

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
  await using store = await openPointStore(io, ASKED);
  if (!isSure) {
    const found = await store.find(interval);
    if (found.count > 0) throw new BadInput(`Nothing is removed. --yes removes ${pointsText(found)}`);
    io.progress('No points are there.');
    return;
  }
  const found = await store.replace(nothing(), interval);
  if (found) io.progress(`Removed ${pointsText(found)}.`);
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
