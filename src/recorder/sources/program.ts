// Runs a program beside the service, logs what it says, and restarts it when it ends.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { linesOf } from '../../commands/input-files.ts';
import { messageOf } from '../../commands/progress.ts';
import { instantOf } from '../../contract/instant.ts';
import { startLoop } from '../../loop.ts';
import type { RecorderState } from '../../operations/service/contract.ts';

export interface ProgramOptions {
  /** A line for the shell. */
  readonly command: string;
  /** Whether it is a command of ours: it notices by a channel that the service has been killed. */
  readonly isOwn?: boolean;
  /** What the log calls the program, such as `recorder`. */
  readonly name: string;
  /** What the log shows of the command. */
  readonly shown?: string;
  /** How many lines of its standard error to log per run. */
  readonly mostLines?: number;
  /** Reads the output of one run. If this ends, so does the program. @throws the fault to report */
  read(output: AsyncIterable<Uint8Array>): Promise<void>;
  /** Milliseconds since 1970. */
  clock(): number;
  readonly log: { info(line: string): void; warn(line: string): void; error(line: string): void };
  /** The pause before a restart. It doubles each time, up to a minute. */
  readonly firstPauseMs?: number | undefined;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** After a run this long, the pause is reset. */
const RAN_WELL_MS = 60_000;
const TERMINATION_MS = 3000;
/** Some programs complain endlessly. */
const [MOST_LINES, MOST_LOGGED] = [20, 1000];
/** How main.ts ends after wrong options, and how many lines of ours explain them at most. */
const [WRONG_USAGE, EXPLAINING] = ['exit code 2', 5];

export function startProgram({
  command,
  name,
  isOwn = false,
  shown = command,
  mostLines = MOST_LINES,
  read,
  clock,
  log,
  firstPauseMs = FIRST_PAUSE_MS,
}: ProgramOptions) {
  const now = () => instantOf(clock());
  let state: RecorderState = { running: false, since: now(), restarts: 0, last_exit: null };
  let latest: string[] = [];

  async function listen(stderr: AsyncIterable<Uint8Array>, stopping: AbortSignal): Promise<void> {
    let said = 0;
    for await (const lines of linesOf(withLineFeeds(stderr), stopping))
      for (const line of lines.filter((line) => line !== '').map(loggable)) {
        latest = [...latest, line].slice(-EXPLAINING);
        if (said++ < mostLines) log[WARNING.test(line) ? 'warn' : 'info'](`The ${name} says: ${line}`);
      }
  }

  async function run(stopping: AbortSignal): Promise<string> {
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', isOwn ? 'ipc' : 'ignore'];
    const child = spawn(command, { shell: true, detached: true, stdio });
    const end = (signal: NodeJS.Signals) => endGroup(child, signal);
    const last = () => end('SIGKILL');
    const stop = () => end('SIGTERM');
    const closed = once(child, 'close');
    process.once('exit', last);
    stopping.addEventListener('abort', stop);
    const listening = listen(child.stderr ?? Readable.from([]), stopping).catch(() => {}); // aborted
    let fault: unknown;
    const reading = read(child.stdout ?? Readable.from([])).catch((error) => {
      fault = error;
    });
    void reading.then(async () => {
      end('SIGTERM'); // its output has ended
      await delay(TERMINATION_MS, undefined, { ref: false });
      end('SIGKILL');
    });
    try {
      const [code, signal] = await closed;
      await reading;
      await listening;
      if (fault) return withoutUsers(messageOf(fault));
      return signal === null ? `exit code ${code}` : `signal ${signal}`;
    } catch (error) {
      return withoutUsers(messageOf(error)); // the program could not start
    } finally {
      process.off('exit', last);
      stopping.removeEventListener('abort', stop);
    }
  }

  let pauseMs = firstPauseMs;
  async function goOn(signal: AbortSignal): Promise<number> {
    const restarts = state.last_exit ? state.restarts + 1 : 0;
    state = { ...state, running: true, since: now(), restarts };
    const begun = performance.now();
    log.info(`Started the ${name}: ${withoutUsers(shown)}`);
    const reason = await run(signal);
    if (signal.aborted) return 0;
    if (performance.now() - begun >= RAN_WELL_MS) pauseMs = firstPauseMs;
    const time = now();
    state = { ...state, running: false, since: time, last_exit: { time, reason } };
    if (isOwn && reason === WRONG_USAGE) {
      log.error(`The ${name} is not restarted, because its options are wrong: ${latest.join('; ')}`);
      await once(signal, 'abort');
      return 0;
    }
    log.warn(`The ${name} ended (${reason}). Restarting it in ${pauseMs / 1000} s`);
    const waitMs = pauseMs;
    pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    return waitMs;
  }

  const running = startLoop(goOn, (error) => {
    log.warn(messageOf(error));
    return LONGEST_PAUSE_MS;
  });
  return {
    state: () => state,
    /** Ends the program and its child processes. */
    stop: running.stop,
  };
}

/** Lines about a station begin with its name. */
const WARNING = /^(?:\w+: )?Warning: /;

/** Removes everything up to the last `@`, since a password may contain one. */
const withoutUsers = (text: string) => text.replace(/:\/\/[^\s'"]*@/g, '://***@');

/** A program that shows progress ends its lines with carriage returns. */
async function* withLineFeeds(stderr: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of stderr) yield piece.map((byte) => (byte === 0x0d ? 0x0a : byte));
}

function loggable(line: string): string {
  if (line.length <= MOST_LOGGED) return withoutUsers(line);
  // a URL at the cut may have lost its `@`
  return `${withoutUsers(line)
    .slice(0, MOST_LOGGED)
    .replace(/:\/\/[^\s'"@]*$/, '://…')}…`;
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // the process group has ended
  }
}
