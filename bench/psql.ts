// Runs commands in one open session of psql, over its standard input.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Interval } from './points-table.ts';
import { postgresBin } from './server.ts';
import { instant, point } from './sql-by-hand.ts';

/** The select of audio/range. */
export function selectPoints({ from, to }: Interval): string {
  return `select ${point} from audio_data where time >= '${from}' and time < '${to}' order by audio_data.time;`;
}

/** The select of export.csv as a COPY to a file or to `stdout`. */
export function copyPoints({ from, to }: Interval, target: string): string {
  const columns = `${instant('time')} as time, rms_db, frequency_hz, is_silence::text`;
  const select = `select ${columns} from audio_data where time >= '${from}' and time < '${to}' order by audio_data.time`;
  return `\\copy (${select}) to ${target} with (format csv)`;
}

export interface Psql extends Disposable {
  /** Rejects if psql fails. The output goes to /dev/null. */
  run(command: string): Promise<void>;
}

export function openPsql(url: string): Psql {
  const child = start(url);
  const ended = end(child);
  ended.catch(() => {}); // `run` rejects with this error
  child.stdin.on('error', () => {}); // psql has ended
  child.stdin.write('\\o /dev/null\n');
  return {
    async run(command) {
      const done = once(child.stdout, 'data'); // psql prints nothing but the echo below
      child.stdin.write(`${command}\n\\echo done\n`);
      await Promise.race([done, ended]);
    },
    [Symbol.dispose]() {
      child.kill('SIGKILL');
    },
  };
}

/** The SHA-256 of one command's output, in hex. */
export async function hashOfPsql(url: string, command: string): Promise<string> {
  const child = start(url, '--command', command);
  const hash = createHash('sha256');
  child.stdout.on('data', (piece) => hash.update(piece));
  await end(child);
  return hash.digest('hex');
}

function start(url: string, ...more: string[]) {
  const beside = join(postgresBin(), 'psql'); // psql may be in another folder
  const args = ['--no-psqlrc', '--quiet', '--no-align', '--tuples-only', '--set', 'ON_ERROR_STOP=1', ...more];
  const child = spawn(existsSync(beside) ? beside : 'psql', [...args, url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  return child;
}

/** @throws if psql cannot start, or fails */
async function end(child: ChildProcess): Promise<void> {
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error('psql failed');
}
