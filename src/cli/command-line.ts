// Declares the command line: the commands, their arguments and help, and the errors of wrong usage.
import { Command, type CommanderError } from 'commander';
import { backupCommand } from '../backup/backup-command.ts';
import { restoreCommand } from '../backup/restore-command.ts';
import {
  declareOptions,
  reading,
  refuseRepeated,
  repeatable,
  STATION,
  type ValuesOf,
} from '../commands/command-options.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { AppError } from '../errors.ts';
import { importCommand } from '../import/import-command.ts';
import { notifyCommand } from '../notify/notify-command.ts';
import { declareNotify, type NotifyOptions, readNotify } from '../notify/notify-options.ts';
import { deleteCommand } from '../recorder/delete.ts';
import { recordCommand } from '../recorder/record.ts';
import { declareSource, type GivenSource, readSource } from '../recorder/source-options.ts';
import { backupIo, restoreIo } from './backups.ts';
import { demo, migrateServer, printKey, recorderIo, serve, watchIo } from './commands.ts';
import type { Environment } from './environment.ts';
import { excludeCommand } from './exclude-command.ts';
import { IMPORTERS } from './importers.ts';
import { maintainServer } from './maintain.ts';
import { mcpCommand } from './mcp-command.ts';
import { stationCommand } from './station-command.ts';
import { watchCommand } from './watch/watch-command.ts';

const VARIABLES = '\nEnvironment variables configure it: see docs/reference/configuration.md.';

/**
 * @param environment called when a command begins its work, so help needs no configuration
 * @param worded rewrites command names in help as the user types them
 * @returns the program; it throws AppError BAD_REQUEST on wrong usage, and CommanderError after printing help
 */
export function createProgram(
  version: string,
  environment: () => Environment,
  worded = (text: string) => text,
): Command {
  const program = new Command('audio-metrics').description(
    'Stores and queries the measurements of a microphone.',
  );
  program.enablePositionalOptions(); // a subcommand reads its own options
  const commands = [
    serveCommand(environment),
    new Command('demo')
      .description(
        'Runs the service on the embedded database, with two weeks of made-up sound that keeps growing. ' +
          'The demo keeps its points in DATA_DIR, by default ./data-demo.',
      )
      .action(() => demo(environment())),
    new Command('migrate')
      .description(
        'Brings the schema of a server and all its stations up to date; safe to run again. It connects to ' +
          'MIGRATION_DATABASE_URL, or else DATABASE_URL, as the owner of the schema.',
      )
      .option('--station <NAME>', 'only this station (default: all)', reading(STATION))
      .action(({ station }: { station?: string }) => migrateServer(environment(), station)),
    new Command('maintain')
      .description(
        'Until you stop it, refreshes the rollups of a server and removes old points. Run it beside services that query ' +
          'read-only standbys. It connects to the primary in MIGRATION_DATABASE_URL, or else in DATABASE_URL.',
      )
      .action(() => maintainServer(environment())),
    new Command('key')
      .description(
        'Creates an API key and prints it once, with its line for API_KEYS_FILE. It stores neither.',
      )
      .argument('<name>', 'the name of the key in the log')
      .option('--stations <names>', 'the stations that the key opens, such as garden,street (default: all)')
      .action(printKey),
    ...[recordCommand, importCommand, deleteCommand].map((command) =>
      ofStation(command, (station) => recorderIo(environment(), station)),
    ),
    ofStation(backupCommand, (station) => backupIo(environment(), station)),
    ofStation(restoreCommand, (station) => restoreIo(environment(), station)),
    ofStation(excludeCommand, (station) => ({ environment: environment(), station })),
    stationCommand(environment),
    watchCommand(() => watchIo(environment())),
    notifyCommand(() => watchIo(environment())),
    mcpCommand(environment),
  ];
  for (const command of commands) program.addCommand(command.addHelpText('after', VARIABLES));
  for (const command of [program, ...commands]) command.version(version);
  return strictly(program, worded);
}

const IMPORT = {
  help: {
    '--import <[NAME=]OPTIONS>':
      "run `npm run import` with these options beside the service, such as '--listen 127.0.0.1:3100 --columns level'. NAME= before them selects another station for --mqtt; may be repeated",
  },
  kinds: { import: repeatable(IMPORTERS) },
};

function serveCommand(environment: () => Environment): Command {
  const command = new Command('serve').description(
    'Runs the service on the server in DATABASE_URL, or else on the embedded database in DATA_DIR.',
  );
  declareOptions(declareSource(command), IMPORT);
  return declareNotify(command).action((given: GivenSource & ValuesOf<typeof IMPORT> & NotifyOptions) => {
    const sources = readSource(given, command);
    const opened = environment();
    const notify = readNotify(given, command, opened.config.NOTIFY);
    return serve(opened, sources, given.spool, given.import, notify);
  });
}

/** Declares a command, with `--station` for it and its subcommands. @param ioOf builds its IO for a station */
export function ofStation<Io>(declare: (open: () => Io) => Command, ioOf: (station: string) => Io): Command {
  const command: Command = declare(() => {
    const given = [command, ...command.commands].map((each) => each.opts<{ station?: string }>().station);
    return ioOf(given.find((station) => station !== undefined) ?? DEFAULT_STATION);
  });
  for (const each of [command, ...command.commands])
    each.option('--station <NAME>', `the station (default: ${DEFAULT_STATION})`, reading(STATION));
  return command;
}

/** How to call a command: `npm start`, `npm run record`. */
export const invocation = (name: string): string => (name === 'serve' ? 'npm start' : `npm run ${name}`);

/** Whether this is the program itself rather than one of its commands. */
const isProgram = ({ commands, registeredArguments, parent }: Command): boolean =>
  !parent && commands.length > 0 && registeredArguments.length === 0;

/** The start of a command line, such as `npm run record -- calibrate`. */
function callOf(command: Command): string {
  const { parent } = command;
  if (parent && !isProgram(parent)) return `${callOf(parent)} ${command.name()}`;
  return `${invocation(command.name())} --`;
}

/** Makes a command and its subcommands throw AppError BAD_REQUEST on wrong usage. The message names what is allowed. */
export function strictly(command: Command, worded = (text: string) => text): Command {
  for (const each of command.commands) strictly(each, worded);
  refuseRepeated(command);
  return command
    .configureHelp({
      commandUsage: (of) =>
        isProgram(of) ? `${invocation('<command>')} -- [options]` : `${callOf(of)} ${of.usage()}`,
    })
    .configureOutput({
      outputError: () => {},
      writeErr: () => {},
      writeOut: (text) => process.stdout.write(worded(text)),
    })
    .exitOverride((error) => {
      if (error.exitCode === 0) throw error;
      const isHelp = error.code === 'commander.help'; // the user left out the subcommand
      const what = isHelp ? 'A subcommand is missing' : error.message.replace(/^error: /, '');
      const allowed = allowedInstead(command, error);
      throw new AppError(
        'BAD_REQUEST',
        [what.charAt(0).toUpperCase() + what.slice(1), ...allowed].join('\n'),
      );
    });
}

function allowedInstead(command: Command, { code, message }: CommanderError): string[] {
  const help = command.createHelp();
  if (code === 'commander.help')
    return [`The subcommands are ${command.commands.map((each) => each.name()).join(', ')}`];
  if (code === 'commander.unknownCommand')
    return [`The commands are ${command.commands.map((each) => each.name()).join(', ')}`];
  if (code === 'commander.unknownOption') {
    const names = help.visibleOptions(command).map((option) => option.long);
    return [`The options are ${names.join(', ')}`];
  }
  const named = [
    ...command.options.map(({ flags: name, description }) => ({ name, description })),
    ...command.registeredArguments.map((each) => ({ name: each.name(), description: each.description })),
  ];
  return named
    .filter(({ name }) => message.includes(`'${name}'`))
    .map(({ name, description }) => `${name}: ${description}`);
}
