// The `station` command: creates, sets, lists, shows and removes stations.
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { declareOptions, flagOf, read, textThat, type ValuesOf } from '../command-options.ts';
import { type Measurement, measurementOf } from '../contract/measurement.ts';
import { printable } from '../contract/printable.ts';
import { DEFAULT_STATION, STATION_NAME_RULE, StationName, stationPath } from '../contract/station.ts';
import type { Database } from '../db/database.ts';
import { identifier } from '../db/identifier.ts';
import { retry } from '../db/retry.ts';
import { setStation, showStation, stationNames } from '../db/station-schemas.ts';
import { AppError } from '../errors.ts';
import { setRawRetention } from '../store/raw-retention.ts';
import { StationVariables } from './config.ts';
import type { Environment } from './environment.ts';
import type { MadeStation } from './make-station.ts';
import { makeStationForCommand } from './make-station-for-command.ts';
import { onDatabase, onStation } from './owner-database.ts';
import { stationIn } from './station-database.ts';
import { provideWriter } from './station-writer.ts';

const ABOUT = `Manages the stations of the database. A station is one microphone, with its own points, settings and page \
at /stations/NAME/. A running service notices a change within five seconds.`;

const EXAMPLE = `
  station add garden --place-name 'Elm Street 4, garden' --time-zone Europe/Vienna --limits 06-22=55,22-06=45
      creates the station, with its page at /stations/garden/
  station set garden --calibration-offset-db 118.5
  station remove garden
      shows how many points it would remove, and asks for confirmation`;

/** The options, each with the environment variable for the same setting of the default station. */
const VARIABLES = [
  ['placeName', 'PLACE_NAME'],
  ['timeZone', 'TIME_ZONE'],
  ['limits', 'LIMITS'],
  ['calibrationOffsetDb', 'CALIBRATION_OFFSET_DB'],
  ['assess', 'ASSESS'],
  ['uncertaintyDb', 'UNCERTAINTY_DB'],
  ['minMeasuredPercent', 'MIN_MEASURED_PERCENT'],
  ['rawRetention', 'RAW_RETENTION'],
] as const;
/** The options of the measurement record, each with its variable and its field. */
const RECORD = [
  ['position', 'MICROPHONE_POSITION', 'position'],
  ['heightM', 'MICROPHONE_HEIGHT_M', 'height_m'],
  ['facadeDistanceM', 'FACADE_DISTANCE_M', 'facade_distance_m'],
  ['microphone', 'MICROPHONE', 'microphone'],
  ['soundCard', 'SOUND_CARD', 'sound_card'],
  ['calibrator', 'CALIBRATOR', 'calibrator'],
  ['windscreen', 'WINDSCREEN', 'windscreen'],
  ['operator', 'OPERATOR', 'operator'],
] as const satisfies [string, string, keyof Measurement][];
type Name = (typeof VARIABLES | typeof RECORD)[number][0];
/** Options that cannot be cleared. */
const NEVER_NONE: readonly Name[] = [
  'timeZone',
  'rawRetention',
  'assess',
  'uncertaintyDb',
  'minMeasuredPercent',
];
type Settable = MadeStation & { readonly writer?: string | undefined };

const NONE = 'none';
const OPTIONS = {
  help: {
    '--place-name <TEXT>': `its location's name (at most 100 characters), or \`${NONE}\``,
    '--time-zone <ZONE>': 'its IANA time zone, such as Europe/Vienna',
    '--limits <LIMITS>': `level limits by time of day, such as 06-22=55,22-06=45, or \`${NONE}\``,
    '--calibration-offset-db <DB>': `the sound pressure level at full scale (0 dBFS), or \`${NONE}\``,
    '--assess <WHAT>':
      'what to compare with the limit of each part of the day: `part` (all of it), `hour` (its loudest full clock hour) or `15m` (its loudest full quarter of an hour). Default: part',
    '--uncertainty-db <DB>': 'the expanded uncertainty of levels, 0 to 20 (default: 0)',
    '--min-measured-percent <PERCENT>':
      'how much of a part must be measured to decide its state (default: 90)',
    '--position <TEXT>': `the position of the microphone, or \`${NONE}\``,
    '--height-m <M>': `the height of the microphone above the ground in metres, or \`${NONE}\``,
    '--facade-distance-m <M>': `the distance from the microphone to the nearest facade in metres, or \`${NONE}\``,
    '--microphone <TEXT>': `the microphone and its serial number, or \`${NONE}\``,
    '--sound-card <TEXT>': `the sound card and its serial number, or \`${NONE}\``,
    '--calibrator <TEXT>': `the sound calibrator and its serial number, or \`${NONE}\``,
    '--windscreen <TEXT>': `the windscreen, or \`${NONE}\``,
    '--operator <TEXT>': `the measuring person or office, or \`${NONE}\``,
    '--raw-retention <INTERVAL>': "how long to keep points, such as '35 days', or off",
    '--writer <ROLE>':
      'a server role that may store points in this station and sees no other. A missing role is created',
  },
  kinds: { writer: read(textThat('the name of a role', (text) => /^[^\0]{1,63}$/.test(text))) },
};
type Given = ValuesOf<typeof OPTIONS> & { readonly [name in Name]?: string };

/** @param print writes a line of the result */
export function stationCommand(
  open: () => Environment,
  print: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): Command {
  const command = new Command('station').description(ABOUT).addHelpText('after', EXAMPLE);
  const named = (name: string, about: string) =>
    command.command(name).description(about).argument('<name>', STATION_NAME_RULE.replace('must be ', ''));
  declareOptions(named('add', 'creates a station'), OPTIONS).action(
    async (name: string, given: Given, command: Command) => {
      assertName(name);
      const environment = open();
      const { writer, ...made } = readSettings(given, environment, command);
      await makeStationForCommand(environment, name, made);
      if (writer !== undefined) await onDatabase(environment, (db) => provideWriter(db, name, writer, print));
      environment.terminal.say(`The station ${name} is at ${stationPath(name)}.`);
    },
  );
  declareOptions(named('set', 'changes the given settings of a station'), OPTIONS).action(
    async (name: string, given: Given, command: Command) => {
      assertName(name);
      const environment = open();
      const { writer, raw_retention, ...settings } = readSettings(given, environment, command);
      if (Object.keys(given).length === 0)
        throw new AppError('BAD_REQUEST', 'There is nothing to set: give at least one option');
      await onStation(environment, name, async (station, db) => {
        await station.transaction(async ({ run }) => {
          await setStation(run, settings);
          if (raw_retention !== undefined) await setRawRetention(run, raw_retention, environment.log);
        });
        if (writer !== undefined) await provideWriter(db, name, writer, print);
      });
    },
  );
  command
    .command('list')
    .description('lists the stations: name, path, and name of the location')
    .action(() =>
      onDatabase(open(), async (db) => {
        print([DEFAULT_STATION, stationPath(DEFAULT_STATION)].join('\t'));
        for (const name of await stationNames(db)) {
          const { place_name } = await showStation(stationIn(db, name));
          print(
            [name, stationPath(name), ...(place_name === null ? [] : [printable(place_name)])].join('\t'),
          );
        }
      }),
    );
  named('show', 'shows the settings of a station, and how many points it has').action(
    async (name: string) => {
      await onStation(open(), assertName(name), async (station) => {
        const { measurement, ...shown } = await showStation(station);
        for (const [field, value] of Object.entries({ ...shown, ...measurementOf(measurement) }))
          print(`${field}: ${value === '' || value === null ? NONE : printable(String(value))}`);
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
        say(`Removed ${what}.`);
      });
    });
  return command;
}

async function isAnsweredYes(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

/** @throws AppError BAD_REQUEST with the rule for names, and how to set the default station */
function assertName(name: string): string {
  if (StationName.safeParse(name).success) return name;
  const advice =
    name === DEFAULT_STATION ? '. The default station always exists, and environment variables set it' : '';
  throw new AppError('BAD_REQUEST', `<name>: ${STATION_NAME_RULE}${advice}`);
}

/** @throws a usage error of the command with one line per wrong option */
function readSettings(given: Given, { config }: Environment, command: Command): Settable {
  const faults: string[] = [];
  const made: Record<string, unknown> = {};
  const record: Record<string, unknown> = {};
  for (const [name, variable, field] of [...VARIABLES, ...RECORD]) {
    const text = given[name];
    if (text === undefined) continue;
    const isCleared = text === NONE && !NEVER_NONE.includes(name);
    const { data, error } = StationVariables.shape[variable].safeParse(isCleared ? undefined : text);
    if (error) faults.push(`${flagOf(name)}: ${error.issues.map(({ message }) => message).join('; ')}`);
    if (field) record[field] = data || null;
    else made[variable.toLowerCase()] = variable !== 'LIMITS' ? (data ?? null) : isCleared ? '' : text;
  }
  const { writer } = given;
  if (writer !== undefined && config.DATABASE_URL === undefined)
    faults.push('--writer: needs a server (DATABASE_URL): the embedded database has no roles');
  if (faults.length > 0) command.error(faults.join('\n'));
  const isRecorded = Object.keys(record).length > 0;
  return { ...made, ...(isRecorded && { measurement: record }), ...(writer !== undefined && { writer }) };
}

/** Locks the points first, as storing does. Dropping takes locks in its own order, so it may deadlock and is retried. */
function removeStation(db: Database, name: string): Promise<void> {
  const schema = identifier(name);
  const removing = `lock table ${schema}.audio_data in access exclusive mode; drop schema ${schema} cascade`;
  const remove = () => db.transaction(async ({ run }) => void (await run(removing)));
  return retry(remove, Number.POSITIVE_INFINITY);
}
