// Generates docs/reference/commands.md from the declarations of the command line.
import type { Command, Option } from 'commander';
import { createProgram } from '../../src/cli/command-line.ts';
import { INSTANT_ALLOWED } from '../../src/contract/instant.ts';
import { sentenceOf } from './plain-text.ts';

const INTRODUCTION = `# Commands

<!-- \`npm run docs:reference\` makes this page from the declarations of the command line -->

Run each command as \`npm run NAME -- ARGUMENTS\`, and the service as \`npm start\`. In the image it is \`docker run IMAGE NAME ARGUMENTS\`. Every command has \`--help\` and \`--version\`, which need no configuration. [Configuration](configuration.md) lists the environment variables that commands read.

- **Exit codes.** 0 is success. 2 is wrong usage or a bad configuration. 1 is any other failure, and \`delete\` without \`--yes\`. On Ctrl-C, a command ends and reports how many points it stored.
- **Output.** The service writes its log to standard output, one JSON object per line. Other commands write messages to standard error, and results to standard output.
- **Wrong usage.** The message names the bad argument and the allowed values.

A command refuses an option given twice, unless the option may be repeated. These scripts take no options: \`npm run page\` builds the page, the reference and this manual, which the service serves. \`npm test\` runs the tests. [Benches](../../CONTRIBUTING.md#benches) describes \`npm run bench\`.
`;

/** @returns the page, in Markdown */
export function commandsPage(): string {
  const program = createProgram('', () => {
    throw new Error('The reference runs no command');
  });
  return [INTRODUCTION, ...program.commands.flatMap((command) => sectionsOf(command))].join('\n');
}

function sectionsOf(command: Command, parents: readonly string[] = []): string[] {
  const { name, subcommands } = namesOf(command, parents);
  const help = command.createHelp();
  const given = command.registeredArguments.map(
    (each) => `\`${help.argumentTerm(each)}\`. ${worded(each.description)}${presetOf(each.defaultValue)}`,
  );
  const options = command.options.filter(({ long, hidden }) => long !== '--version' && !hidden).map(optionOf);
  const parts = [
    `## ${name}\n`,
    `\`\`\`text\n${help.commandUsage(command)}\n\`\`\`\n`,
    `${sentenceOf(help.commandDescription(command))}\n`,
    ...(given.length > 0 ? [`Arguments:\n\n${bullets(given)}\n`] : []),
    ...(options.length > 0 ? [`Options:\n\n${bullets(options)}\n`] : []),
  ];
  return [parts.join('\n'), ...subcommands.flatMap((each) => sectionsOf(each, [...parents, command.name()]))];
}

/** Replaces the list of accepted time formats with a link to the operations page. */
const worded = (text: string) => sentenceOf(text).replace(INSTANT_ALLOWED, 'a [time](operations.md#times)');

const bullets = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n');

function namesOf(command: Command, parents: readonly string[]) {
  return { name: [...parents, command.name()].join(' '), subcommands: command.commands };
}

function optionOf({ flags, description, defaultValue, defaultValueDescription, mandatory }: Option): string {
  const needed = mandatory ? ' Required.' : '';
  return `\`${flags}\`. ${worded(description)}${needed}${presetOf(defaultValueDescription ?? defaultValue)}`;
}

function presetOf(value: unknown): string {
  return value === undefined ? '' : ` Default: \`${value}\`.`;
}
