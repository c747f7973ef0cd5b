// Runs importers beside the service, as processes of their own.
import type { Logger } from 'pino';
import { DEFAULT_STATION } from '../contract/station.ts';
import type { ProgramOfStation } from '../recorder/source-options.ts';
import { startProgram } from '../recorder/sources/program.ts';

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** @returns a function that ends them, once each has stored what it acknowledged */
export function startImporters(importers: readonly ProgramOfStation[], log: Logger): () => Promise<void> {
  const self = [process.execPath, ...process.execArgv, process.argv[1] ?? ''].map(quoted).join(' ');
  const programs = importers.map(({ station, command: options }) => {
    const at = station === DEFAULT_STATION ? '' : ` --station ${station}`;
    return startProgram({
      command: `exec ${self} import ${options}${at}`,
      name: 'importer',
      shown: `import ${options}${at}`,
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
