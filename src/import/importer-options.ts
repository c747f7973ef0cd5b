// The option of the service for importers that it runs.
import type { Command } from 'commander';
import { declareOptions, repeatable, type ValuesOf } from '../commands/command-options.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { type ProgramOfStation, parseProgram } from '../recorder/source-options.ts';

const EXAMPLE = `
  --import '--listen 127.0.0.1:3100 --columns level --reference-db 100'
      runs \`npm run import\` with these options beside the service, and starts it again when it ends`;

const OPTIONS = {
  help: {
    '--import <[NAME=]OPTIONS>':
      'run `npm run import` with these options beside the service: --mqtt or --listen, and how to read lines. NAME= before them selects another station for --mqtt; may be repeated',
  },
  kinds: {
    import: repeatable({
      allowed: 'options of `npm run import` with --mqtt or --listen, with NAME= before --mqtt for a station',
      parse(text) {
        const given = parseProgram(text);
        const [, source] = /(?:^|\s)--(mqtt|listen)[\s=]/.exec(given?.command ?? '') ?? [];
        return source === 'mqtt' || (source && given?.station === DEFAULT_STATION) ? given : undefined;
      },
    } satisfies { allowed: string; parse(text: string): ProgramOfStation | undefined }),
  },
};
export type GivenImporters = ValuesOf<typeof OPTIONS>;

export const declareImporters = (command: Command) =>
  declareOptions(command, OPTIONS).addHelpText('after', EXAMPLE);
