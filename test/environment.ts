// The environment of a command in this process, which keeps everything that the command prints.
import { readConfig } from '../src/cli/config.ts';
import type { Environment } from '../src/cli/environment.ts';
import { openSentences } from '../src/cli/log.ts';
import { createStatusLine } from '../src/cli/status-line.ts';

export interface Printed {
  readonly environment: Environment;
  /** Everything printed so far. */
  output(): string;
  /** Adds to it. */
  print(text: string): void;
  /** Ends the command as a signal does. */
  end(): void;
}

export function environmentOf(
  variables: Record<string, string>,
  level: 'info' | 'warn' | 'error' = 'warn',
): Printed {
  let output = '';
  const print = (text: string) => {
    output += text;
  };
  const ending = new AbortController();
  const terminal = createStatusLine({ write: print });
  const log = openSentences(level, (text) => text, terminal.say);
  const ended = () => ending.signal;
  const environment = {
    config: readConfig(variables),
    log,
    terminal,
    version: 'test',
    print: (line: string) => print(`${line}\n`),
    ended,
  };
  return { environment, output: () => output, print, end: () => ending.abort() };
}
