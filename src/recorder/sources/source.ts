// Runs a recording program, measures its sound, and restarts it when it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { linesOf } from '../../commands/input-files.ts';
import { messageOf } from '../../commands/progress.ts';
import { instantOf } from '../../contract/instant.ts';
import { startLoop } from '../../loop.ts';
import type { RecorderState } from '../../operations/service/contract.ts';
import type { MeasuredPoint } from '../../sound/measured-point.ts';
import { createMeasuring } from '../measuring.ts';
import type { SourceCommand } from '../source-options.ts';
import type { SpoolWriter } from '../storing/spool/spool-writer.ts';

interface SourceOptions extends Omit<SourceCommand, 'spoolMaxMs' | 'station'> {
  readonly writers: readonly SpoolWriter[];
  /** Milliseconds since 1970. */
  clock(): number;
  log: { info(line: string): void; warn(line: string): void };
  /** The pause before a restart. It doubles each time, up to a minute. */
  readonly firstPauseMs?: number;
}

export type Source = ReturnType<typeof startSource>;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** After a run this long, the pause is reset. */
const RAN_WELL_MS = 60_000;
const TERMINATION_MS = 3000;
/** The most stderr lines to log per run, and their length: some programs complain endlessly. */
const [MOST_LINES, MOST_LOGGED] = [20, 1000];

/** @throws BadInput if the rate is too low for the interval to hold a sample */
export function startSource(options: SourceOptions) {
  const { command, raw, writers, clock, log, firstPauseMs = FIRST_PAUSE_MS } = options;
  const now = () => instantOf(clock());
  const { watch, begin } = createMeasuring(options, raw, (line) => log.warn(line));
  begin(clock); // throws now rather than at each start
  let state: RecorderState = { running: false, since: now(), restarts: 0, last_exit: null };

  async function measure(sound: AsyncIterable<Uint8Array>): Promise<void> {
    const meter = begin(clock);
    const add = async (levels: MeasuredPoint[][]) => {
      for (const [index, points] of levels.entries()) await writers[index]?.add(points);
    };
    try {
      for await (const piece of sound) await add(meter.push(piece));
    } finally {
      await add(meter.finish());
      watch.end();
    }
  }

  async function listen(stderr: AsyncIterable<Uint8Array>, stopping: AbortSignal): Promise<void> {
    let said = 0;
    for await (const lines of linesOf(withLineFeeds(stderr), stopping))
      for (const line of lines)
        if (line !== '' && said++ < MOST_LINES) log.info(`The recorder says: ${loggable(line)}`);
  }

  async function run(stopping: AbortSignal): Promise<string> {
    const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = (signal: NodeJS.Signals) => endGroup(child, signal);
    const last = () => end('SIGKILL');
    const stop = () => end('SIGTERM');
    const closed = once(child, 'close');
    process.once('exit', last);
    stopping.addEventListener('abort', stop);
    const listening = listen(child.stderr, stopping).catch(() => {}); // aborted
    let fault: unknown;
    const measured = measure(child.stdout).catch((error) => {
      fault = error;
    });
    void measured.then(async () => {
      end('SIGTERM'); // the sound has ended
      await delay(TERMINATION_MS, undefined, { ref: false });
      end('SIGKILL');
    });
    try {
      const [code, signal] = await closed;
      await measured;
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
    log.info(`Started the recorder: ${withoutUsers(command)}`);
    const reason = await run(signal);
    if (signal.aborted) return 0;
    if (performance.now() - begun >= RAN_WELL_MS) pauseMs = firstPauseMs;
    const time = now();
    state = { ...state, running: false, since: time, last_exit: { time, reason } };
    log.warn(`The recorder ended (${reason}). Restarting it in ${pauseMs / 1000} s`);
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
    /** Ends the program and its child processes, and writes the remaining points. */
    async stop(): Promise<void> {
      await running.stop();
      const clipped = watch.clipped();
      if (clipped) log.warn(`Clipped in ${clipped}`);
      await writers.reduce((closed, each) => closed.finally(() => each.close()), Promise.resolve());
    },
  };
}

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
