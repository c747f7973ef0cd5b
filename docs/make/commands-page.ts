// Writes docs/reference/commands.md: what the command line declares, for people.
import type { Command, Option } from 'commander';
import { createProgram } from '../../src/cli/command-line.ts';
import { INSTANT_ALLOWED } from '../../src/contract/instant.ts';
import { sentenceOf } from './plain-text.ts';

const INTRODUCTION = `# Commands

<!-- \`npm run docs:reference\` makes this page of the declarations of the command line -->

Each command is \`npm run NAME -- ARGUMENTS\`; the service is \`npm start\`. In the image it is \`docker run IMAGE NAME ARGUMENTS\`. Every command has \`--help\` and \`--version\`, also where nothing is configured yet. [Configuration](configuration.md) lists the environment variables that they read.

- **Exit codes.** 0 is success. 2 is wrong usage or a bad configuration. 1 is any other fault, and \`delete\` without \`--yes\`. Ctrl-C ends a command, which says what became of its points.
- **Output.** The service writes its log to standard output, one JSON object a line. The other commands write sentences to standard error, and results to standard output.
- **Wrong usage** names each bad argument, and says what is allowed.

An option that can be given once is refused the second time. These scripts take no options: \`npm run page\` builds what a browser shows: the page, the reference and the manual, \`npm test\` runs the tests, \`npm run docs\` builds the site of this manual. [Benches](../../CONTRIBUTING.md#benches) has \`npm run bench\`.
`;

/** @returns the page, in Markdown */
export function commandsPage(): string {
  const program = createProgram('', () => {
    throw new Error('Nothing is run here');
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

/** What a time may be is said once, with the operations. */
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
