// Runs importers beside the service, as processes of their own.
import type { Logger } from 'pino';
import { shellText } from '../commands/progress.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { type ProgramOfStation, parseProgram } from '../recorder/source-options.ts';
import { startProgram } from '../recorder/sources/program.ts';

export const IMPORTERS = {
  allowed: 'options of `npm run import` with --mqtt or --listen, with NAME= before --mqtt for a station',
  parse(text: string): ProgramOfStation | undefined {
    const given = parseProgram(text);
    const [, source] = /(?:^|\s)--(mqtt|listen)[\s=]/.exec(given?.command ?? '') ?? [];
    // --listen takes no NAME=, because the path of each post names its station
    return source === 'mqtt' || (source && given?.station === DEFAULT_STATION) ? given : undefined;
  },
};

/** @returns a function that ends them, once each has stored what it acknowledged */
export function startImporters(importers: readonly ProgramOfStation[], log: Logger): () => Promise<void> {
  const self = [process.execPath, ...process.execArgv, process.argv[1] ?? ''].map(shellText).join(' ');
  const programs = importers.map(({ station, command: options }) => {
    const shown = `import ${options}${station === DEFAULT_STATION ? '' : ` --station ${station}`}`;
    return startProgram({
      ...{ command: `exec ${self} ${shown}`, shown, name: 'importer', isOwn: true },
      mostLines: Number.POSITIVE_INFINITY, // it limits its own warnings
      async read(output) {
        for await (const _ of output); // it prints nothing
      },
      clock: Date.now,
      log,
    });
  });
  return async () => void (await Promise.all(programs.map(({ stop }) => stop())));
}
