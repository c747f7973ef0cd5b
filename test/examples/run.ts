// Runs programs as the READMEs of `examples` say, and says aloud what this machine lacks.
import { spawn, spawnSync } from 'node:child_process';
import { buffer } from 'node:stream/consumers';

export const EXAMPLES = new URL('../../examples/', import.meta.url);

/** SQL that stores an hour of points before `time`, one a second: each tenth minute begins loud. */
export function storeHour(time: string): string {
  return `insert into audio_data
    select '${time}'::timestamptz - n * interval '1 s',
      case when n % 600 < 30 then -5.5 when n % 7 > 0 then -40 - n % 10 end,
      case when n % 3 = 0 then 440 end, n % 2 = 0
    from generate_series(1, 3600) n`;
}

/** The first of these that runs without an error, or else undefined, which is said. */
export function firstThatRuns(what: string, commands: readonly (readonly string[])[]): string | undefined {
  const found = commands.find(([program = '', ...args]) => spawnSync(program, args).status === 0);
  if (!found) console.warn(`Examples in ${what} are SKIPPED: this machine does not have it`);
  return found?.[0];
}

/** Runs a program with nothing of this process's environment but PATH, and waits for its end. */
export async function run(
  [program = '', ...args]: readonly string[],
  { cwd, env, input }: { cwd: string | URL; env?: Record<string, string>; input?: string },
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const { PATH = '' } = process.env;
  const child = spawn(program, args, { cwd, env: { PATH, ...env } });
  child.stdin.end(input);
  const [stdout, stderr, status] = await Promise.all([
    buffer(child.stdout),
    buffer(child.stderr),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ]);
  return { status, stdout: `${stdout}`, stderr: `${stderr}` };
}

const python = firstThatRuns('YAML', [
  ['python3', '-c', 'import yaml'],
  ['/usr/bin/python3', '-c', 'import yaml'],
]);
/** Whether {@link readYaml} can be used. */
export const hasYaml = python !== undefined;

/** What a file of `examples` says, as JSON would have it. YAML 1.1 reads `on` as true. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows what it reads
export function readYaml(path: string): any {
  const { stdout } = spawnSync(
    python ?? '',
    ['-c', 'import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)', path],
    { cwd: EXAMPLES, encoding: 'utf8' },
  );
  return JSON.parse(stdout);
}
