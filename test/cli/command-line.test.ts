import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/command-line.ts';
import { start } from '../process.ts';

const COMMANDS =
  'serve demo migrate maintain key record import delete backup restore exclude station watch'.split(' ');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Runs the program without a configuration. */
async function run(...args: string[]): Promise<{ error: unknown; written: string }> {
  let written = '';
  const program = createProgram(version, () => {
    throw new Error('the configuration was read');
  });
  for (const command of [program, ...program.commands].flatMap((each) => [each, ...each.commands]))
    command.configureOutput({ writeOut: (text) => (written += text) });
  const error = await program.parseAsync(args, { from: 'user' }).catch((thrown) => thrown);
  return { error, written };
}

describe('The command line', () => {
  it.each(COMMANDS)('%s prints its help and its version without a configuration', async (command) => {
    const help = await run(command, '--help');
    expect(help.error).toMatchObject({ exitCode: 0 });
    const call = command === 'serve' ? 'npm start' : `npm run ${command}`;
    expect(help.written).toContain(`Usage: ${call} -- [options]`);
    expect(help.written).toContain('see docs/reference/configuration.md');
    expect(await run(command, '--version')).toMatchObject({
      error: { exitCode: 0 },
      written: `${version}\n`,
    });
  });

  it('lists every command in its help', async () => {
    const { written } = await run('--help');
    for (const command of COMMANDS) expect(written).toContain(`\n  ${command} `);
  });

  it.each<[args: string, ...facts: string[]]>([
    ['record calibrate f.wav --level 94 --channel nine', '--channel', "'nine'", '1 to 64'],
    ['record calibrate f.wav --level 94 --weighting A', "'--weighting'"],
    ['toast', "'toast'", COMMANDS.join(', ')],
    ['serve --quarrel', "'--quarrel'", '--record, --interval', '--notify, --station', '--version, --help'],
    ['exclude', 'add, list, remove'],
    ['station', 'add, set, list, move, show, remove'],
    ['migrate now', "'migrate'", '0 arguments', 'now'],
  ])('refuses %s, and names the allowed words', async (args, ...facts) => {
    const { error, written } = await run(...args.split(' '));
    for (const fact of facts)
      expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining(fact) });
    expect(written).toBe('');
  });

  it('shows a subcommand in the form that is typed', async () => {
    const { written } = await run('record', 'calibrate', '--help');
    expect(written).toMatch(/^Usage: npm run record -- calibrate \[options\] <FILE>\n/);
  });

  // in their own processes, for the exit codes
  it('exits with 0 after help even if a variable is wrong, but with 2 after wrong usage', async () => {
    const help = start(['record', '--help'], { PORT: 'nonsense' });
    const AUDIO_METRICS_COMMAND = 'docker compose run --rm migrate';
    const wrong = start(['record', '--loud'], { PORT: 'nonsense', AUDIO_METRICS_COMMAND });
    expect(await help.ended).toBe(0);
    expect(help.output()).toMatch(/^Usage: npm run record -- \[options\] <FILE>\n/);
    expect(await wrong.ended).toBe(2);
    expect(wrong.output()).toMatch(
      /^Unknown option '--loud'\nThe options are .*\n`docker compose run --rm migrate record --help` explains all options\n$/,
    );
  });

  it('exits quietly if the reader of its output closes early', async () => {
    const main = join(import.meta.dirname, '../../src/main.ts');
    const child = spawn(process.execPath, [main, 'record', '--help']);
    child.stdout.destroy();
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    const [code] = await once(child, 'close');
    expect([code, said]).toEqual([0, '']);
  });
});
