// The `station` command: creates, sets, lists, shows and removes stations.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { declareOptions, flagOf, read, textThat, type ValuesOf } from '../commands/command-options.ts';
import { JUDGEMENT } from '../contract/limits.ts';
import { isPrintable, printable } from '../contract/printable.ts';
import {
  DEFAULT_STATION,
  isAnyStation,
  isStationName,
  measurementOf,
  STATION_NAME_RULE,
  stationPath,
} from '../contract/station.ts';
import { moveStation } from '../database/citus.ts';
import type { Database } from '../database/database.ts';
import { identifier } from '../database/drizzle.ts';
import { isAway } from '../database/faults.ts';
import { grantWriter } from '../database/grant-rights.ts';
import { retry } from '../database/retry.ts';
import { DEFAULT_JOURNAL } from '../database/schema-version.ts';
import { listStations, readSettings, setStation, showStation } from '../database/station-schemas.ts';
import { AppError } from '../errors.ts';
import { NO_SETTINGS } from '../operations/stations/station.ts';
import { publishPeriods } from '../recorder/storing/periods/note-periods.ts';
import { setHistoryRetention, setRawRetention } from '../rollups/raw-retention.ts';
import { onDatabase, onStation } from './command-database.ts';
import type { Environment } from './environment.ts';
import { makeStation } from './make-station.ts';
import { spoolOf } from './open-database.ts';
import { NONE, readGiven, type SettingName } from './station-settings.ts';
import { hidingVariables, stationIn } from './station-site.ts';

const ABOUT = `Manages the stations of the database. A station is one microphone, with its own points, settings and page \
at /stations/NAME/. A running service notices a change within five seconds.`;

const EXAMPLE = `
  station add garden --place-name 'Elm Street 4, garden' --time-zone Europe/Vienna --limits 06-22=55,22-06=45
      creates the station, with its page at /stations/garden/
  station set garden --calibration-offset-db 118.5
  station remove garden
      shows how many points it would remove, and asks for confirmation`;

const isRoleName = (text: string) => text !== '' && Buffer.byteLength(text) <= 63 && isPrintable(text);

const OPTIONS = {
  help: {
    '--place-name <TEXT>': `its location's name (at most 100 characters), or \`${NONE}\``,
    '--time-zone <ZONE>': `its IANA time zone, such as Europe/Vienna, or \`${NONE}\` for that of the service's machine`,
    '--limits <LIMITS>': `level limits by time of day, such as 06-22=55,22-06=45, or \`${NONE}\``,
    '--calibration-offset-db <DB>': `the sound pressure level at full scale (0 dBFS), or \`${NONE}\``,
    '--assess <WHAT>':
      'what to compare with the limit of each part of the day: `part` (all of it), `hour` (its loudest full clock hour) or `15m` (its loudest full quarter of an hour). Default: part',
    '--uncertainty-db <DB>': `the expanded uncertainty of levels, 0 to 20, or \`${NONE}\` if it is not stated`,
    '--min-measured-percent <PERCENT>':
      'how much of a part must be measured to decide its state (default: 90)',
    '--weighting <WEIGHTING>': `the frequency weighting of levels that were recorded without one: A, C or Z, or \`${NONE}\` if it is unknown. Limits apply only to levels with their own weighting`,
    '--position <TEXT>': `the position of the microphone, or \`${NONE}\``,
    '--height-m <M>': `the height of the microphone above the ground in metres, or \`${NONE}\``,
    '--facade-distance-m <M>': `the distance from the microphone to the nearest facade in metres, or \`${NONE}\``,
    '--microphone <TEXT>': `the microphone and its serial number, or \`${NONE}\``,
    '--sound-card <TEXT>': `the sound card and its serial number, or \`${NONE}\``,
    '--calibrator <TEXT>': `the sound calibrator and its serial number, or \`${NONE}\``,
    '--windscreen <TEXT>': `the windscreen, or \`${NONE}\``,
    '--operator <TEXT>': `the measuring person or office, or \`${NONE}\``,
    '--raw-retention <INTERVAL>': "how long to keep points, such as '35 days', or off",
    '--history-retention <INTERVAL>': "how long to keep history, such as '10 years', or off",
    '--writer <ROLE>':
      'a server role that may store points in this station and sees no other. A missing role is created',
  },
  kinds: {
    writer: read(textThat('the name of a role: 1 to 63 bytes, without control characters', isRoleName)),
  },
};
type Given = ValuesOf<typeof OPTIONS> & { readonly [name in SettingName]?: string };

const { assess, minMeasuredPercent: min_measured_percent } = JUDGEMENT;
const DEFAULTS: Readonly<Record<string, unknown>> = { assess, min_measured_percent };

export function stationCommand(open: () => Environment): Command {
  const command = new Command('station').description(ABOUT).addHelpText('after', EXAMPLE);
  const named = (name: string, about: string) =>
    command.command(name).description(about).argument('<name>', STATION_NAME_RULE.replace('must be ', ''));
  declareOptions(named('add', 'creates a station'), OPTIONS).action(
    async (name: string, given: Given, command: Command) => {
      assertName(name);
      const environment = open();
      const { writer, settings } = readOptions(given, environment, command);
      await makeStation(environment, name, settings);
      await publish(environment, name, []);
      if (writer !== undefined)
        await onDatabase(environment, (db) => provideWriter(db, name, writer, environment.print));
      environment.terminal.say(`The station ${name} is at ${stationPath(name)}.`);
    },
  );
  declareOptions(named('set', 'changes the given settings of a station'), OPTIONS).action(
    async (name: string, given: Given, command: Command) => {
      assertName(name, isAnyStation);
      const environment = open();
      const { config, log, terminal, print } = environment;
      const { writer, settings } = readOptions(given, environment, command);
      const { raw_retention, history_retention, ...columns } = settings;
      if (Object.keys(given).length === 0)
        throw new AppError('BAD_REQUEST', 'There is nothing to set: give at least one option');
      await onStation(environment, name, async (station, db) => {
        await station.transaction(async (transaction) => {
          await setStation(transaction, columns);
          if (raw_retention !== undefined)
            await setRawRetention(transaction.run, raw_retention, log, { name: '--raw-retention' });
          await setHistoryRetention(transaction.run, history_retention, '--history-retention');
        });
        if (writer !== undefined) await provideWriter(db, name, writer, print);
      });
      const hiding = name === DEFAULT_STATION ? hidingVariables(config, Object.keys(settings)) : [];
      if (hiding.length > 0)
        terminal.say(`Saved. A service that has ${hiding.join(' or ')} uses that variable instead.`);
    },
  );
  command
    .command('list')
    .description('lists the stations: name, path, server of a Citus cluster, and name of the location')
    .action(() => {
      const environment = open();
      return onDatabase(environment, async (db) => {
        const away = new Set<string | undefined>();
        for (const { name, server } of [
          { name: DEFAULT_STATION, server: undefined },
          ...(await listStations(db)),
        ]) {
          const settings = away.has(server)
            ? NO_SETTINGS
            : await readSettings(stationIn(db, name)).catch((error) => {
                if (server === undefined || !isAway(error)) throw error;
                away.add(server);
                return NO_SETTINGS;
              });
          if (!settings && name !== DEFAULT_STATION) continue; // incomplete
          const place_name = settings?.place_name ?? null;
          const place = place_name === null ? [] : [printable(place_name)];
          environment.print(
            [name, stationPath(name), ...(server === undefined ? [] : [server]), ...place].join('\t'),
          );
        }
        if (away.size > 0)
          throw new AppError('SERVICE_UNAVAILABLE', `No answer from ${[...away].join(', ')}`);
      });
    });
  named('move', 'moves a station to another server of a Citus cluster, while it is read and recorded')
    .option(
      '--to <HOST>',
      'the host of that server, or HOST:PORT (default: the one with the fewest stations)',
    )
    .action(async (name: string, { to }: { to?: string }) => {
      const environment = open();
      await onStation(environment, assertName(name), async (_, db) => {
        environment.terminal.say(`The station ${name} is now on ${await moveStation(db, name, to)}.`);
      });
    });
  named('show', 'shows the settings of a station, and how many points it has').action(
    async (name: string) => {
      const environment = open();
      await onStation(environment, assertName(name, isAnyStation), async (station) => {
        const { measurement, ...shown } = await showStation(station);
        for (const [field, value] of Object.entries({ ...shown, ...measurementOf(measurement) })) {
          const known = value === '' ? null : (value ?? DEFAULTS[field]);
          environment.print(`${field}: ${printable(String(known ?? NONE))}`);
        }
      });
    },
  );
  named('remove', 'removes a station with all its points')
    .option('--yes', 'do not ask for confirmation')
    .action(async (name: string, { yes = false }: { yes?: boolean }) => {
      const environment = open();
      const { say, isTerminal } = environment.terminal;
      await onStation(environment, assertName(name), async (station, db) => {
        const { points, newest } = await showStation(station);
        const what = `the station ${name} with ${points} points${newest === null ? '' : `, the newest at ${newest}`}`;
        if (!yes && !(isTerminal && (await isAnsweredYes(`Permanently remove ${what}? [y/N] `))))
          throw new Error(`Nothing was removed. --yes removes ${what}`);
        await removeStation(db, name);
        await publish(environment, name, null);
        say(`Removed ${what}.`);
      });
    });
  return command;
}

/** Tells importers that use this `DATA_DIR`. Others notice within a minute. */
async function publish({ config }: Environment, name: string, periods: [] | null): Promise<void> {
  const folder = spoolOf(config, name);
  if (existsSync(folder)) await publishPeriods({ folder }, periods);
}

async function isAnsweredYes(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** @throws AppError BAD_REQUEST with the rule for names */
function assertName(name: string, isAllowed = isStationName): string {
  if (isAllowed(name)) return name;
  const advice = name === DEFAULT_STATION ? '. The default station always exists' : '';
  throw new AppError('BAD_REQUEST', `<name>: ${STATION_NAME_RULE}${advice}`);
}

/** @throws a usage error of the command with one line per wrong option */
function readOptions({ writer, ...given }: Given, { config }: Environment, command: Command) {
  const faults: string[] = [];
  const settings = readGiven(
    (name) => given[name],
    (name, message) => faults.push(`${flagOf(name)}: ${message}`),
  );
  if (writer !== undefined && config.DATABASE_URL === undefined)
    faults.push('--writer: needs a server (DATABASE_URL): the embedded database has no roles');
  if (faults.length > 0) command.error(faults.join('\n'));
  return { settings, writer };
}

/** Locks the points first, as storing does. Dropping takes locks in its own order, so it may deadlock and is retried. */
function removeStation(db: Database, name: string): Promise<void> {
  const schema = identifier(name);
  const removing = `lock table ${schema}.audio_data in access exclusive mode; drop schema ${schema} cascade`;
  const remove = () => db.transaction(async ({ run }) => void (await run(removing)));
  return retry(remove, Number.POSITIVE_INFINITY);
}

/** Lets a role store in one station and see no other. Creates a missing role, and prints its password once. */
async function provideWriter(db: Database, station: string, role: string, print: (line: string) => void) {
  const password = await db.transaction(async ({ run }) => {
    const found = await run('select from pg_roles where rolname = $1', [role]);
    const made = found.length === 0 ? randomBytes(24).toString('base64url') : undefined;
    if (made !== undefined) await run(`create role ${identifier(role)} login password '${made}'`);
    const isDefault = station === DEFAULT_STATION;
    if (!isDefault) await run(`set local search_path = ${identifier(station)}`);
    await grantWriter(run, role, isDefault ? DEFAULT_JOURNAL : station);
    return made;
  });
  if (password === undefined) return;
  process.stderr.write(`Created the role ${role}. This is its password, shown only once:\n\n`);
  print(password);
}
