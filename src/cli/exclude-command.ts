// The `exclude` command: adds, lists and removes exclusions, the intervals that statistics leave out.
import { Command } from 'commander';
import {
  declareOptions,
  INTERVAL,
  intervalBetween,
  lineForm,
  needed,
  read,
  reading,
  type ValuesOf,
  wholeNumberBetween,
} from '../commands/command-options.ts';
import { pointsText } from '../commands/progress.ts';
import { instantOf } from '../contract/instant.ts';
import { printable } from '../contract/printable.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import type { Database } from '../database/database.ts';
import {
  addExclusion,
  allExclusions,
  assertMayExclude,
  removeEqualExclusion,
  removeExclusion,
} from '../database/exclusions.ts';
import { listStations, readSettings } from '../database/station-schemas.ts';
import { AppError } from '../errors.ts';
import { furtherLevelsOf } from '../recorder/also.ts';
import { findPoints, pointsWithin } from '../recorder/storing/point-store.ts';
import { onStation } from './command-database.ts';
import type { Environment } from './environment.ts';
import { stationIn } from './station-site.ts';

const ABOUT = `Manages exclusions: intervals that statistics leave out, such as rain, wind or a neighbour's mower. The \
points stay: remove an exclusion, or query with exclusions=ignore, and they count again. A running service applies a \
change at once. A change also applies to the microphone's further levels, if --also created any.`;

const EXAMPLE = `
  exclude add --from 2026-03-01T14:00:00+01:00 --to 2026-03-01T15:30:00+01:00 --reason rain
      leaves that hour and a half out of statistics, and prints the id of the exclusion
  exclude list
      prints one exclusion per line: id, from, to, reason, by
  exclude remove 7`;

const OPTIONS = {
  help: {
    ...INTERVAL.help,
    '--reason <TEXT>': 'the reason, at most 200 characters',
    '--by <TEXT>': 'the person who decided it, at most 100 characters',
  },
  kinds: { ...INTERVAL.kinds, reason: needed(read(lineForm(200))), by: read(lineForm(100)) },
};

interface NamedStation {
  readonly name: string;
  readonly db: Database;
}

interface OfStation {
  readonly environment: Environment;
  readonly station: string;
}

/** Runs work as the owner of the tables, on the station and on the further levels of its microphone. */
function onLevels(
  { environment, station }: OfStation,
  work: (station: NamedStation, others: readonly NamedStation[]) => Promise<void>,
): Promise<void> {
  return onStation(environment, station, async (own, db) => {
    const names = (await listStations(db)).map(({ name }) => name);
    const others: NamedStation[] = [];
    for (const name of furtherLevelsOf(station, names)) {
      const other = stationIn(db, name);
      if (await readSettings(other)) others.push({ name, db: other });
    }
    await work({ name: station, db: own }, others);
  });
}

export function excludeCommand(open: () => OfStation): Command {
  const command = new Command('exclude').description(ABOUT).addHelpText('after', EXAMPLE);
  declareOptions(command.command('add').description('leaves an interval out of statistics'), OPTIONS).action(
    async (given: ValuesOf<typeof OPTIONS>, adding: Command) => {
      const of = open();
      const { print, terminal } = of.environment;
      const { reason, by = null } = given;
      const now = instantOf(Date.now());
      const exclusion = { ...intervalBetween(given, now, adding), reason, by };
      const { from, to } = exclusion;
      await onLevels(of, async (station, others) => {
        const levels = [station, ...others];
        for (const { db, name } of levels) await assertMayExclude(db, name);
        for (const each of levels) {
          const id = await each.db.transaction((adding) => addExclusion(adding, each.name, exclusion));
          if (each === station) print(String(id));
          const { count } = await findPoints(each.db, pointsWithin(exclusion));
          const points = pointsText({ count, first: from, last: to });
          terminal.say(`Exclusion ${idText(id, each)} leaves out ${points}.`);
        }
      });
    },
  );
  command
    .command('list')
    .description('lists the exclusions, oldest first: id, from, to, reason, by')
    .action(async () => {
      const of = open();
      await onLevels(of, async ({ db }) => {
        for (const { id, from, to, reason, by } of await allExclusions(db))
          of.environment.print(
            [`${id}`, from, to, reason, ...(by === null ? [] : [by])].map(printable).join('\t'),
          );
      });
    });
  command
    .command('remove')
    .description('removes an exclusion, so its points count again')
    .argument('<id>', 'the id that `list` prints', reading(wholeNumberBetween(0, 999_999_999_999_999)))
    .action(async (id: number) => {
      const of = open();
      const { say } = of.environment.terminal;
      await onLevels(of, async (station, others) => {
        const removed = await station.db.transaction((transaction) => removeExclusion(transaction, id));
        if (!removed) {
          const list = `npm run exclude -- list${of.station === DEFAULT_STATION ? '' : ` --station ${of.station}`}`;
          throw new AppError('NOT_FOUND', `There is no exclusion ${id}: \`${list}\` lists them`);
        }
        say(`Removed exclusion ${idText(id, station)}.`);
        for (const each of others) {
          const equal = await each.db.transaction((transaction) =>
            removeEqualExclusion(transaction, removed),
          );
          if (equal !== undefined) say(`Removed exclusion ${idText(equal, each)}.`);
        }
      });
    });
  return command;
}

const idText = (id: number, { name }: NamedStation) =>
  name === DEFAULT_STATION ? `${id}` : `${id} of the station ${name}`;
