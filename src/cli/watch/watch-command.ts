// The `watch` command: a level meter in the terminal, or a notifier for a service.
import { Command } from 'commander';
import { type AudioMetricsClient, createClient, follow, type Point } from '../../client/index.ts';
import { FLOOR_DB } from '../../contract/level-unit.ts';
import { type OffsetScale, offsetScaleOf } from '../../contract/shown-scale.ts';
import { DEFAULT_STATION, stationPath } from '../../contract/station.ts';
import { type NotifyIo, startNotifier } from '../../notify/notifier.ts';
import { assertHttp, declareNotify, type NotifyOptions, readNotify } from '../../notify/notify-options.ts';
import { whenAborted } from '../../signal.ts';

export interface WatchIo extends NotifyIo {
  readonly apiKey?: string | undefined;
  /** URLs of receivers, in addition to those on the command line. */
  readonly notify?: readonly string[] | undefined;
  /** Whether a line can overwrite the previous one. */
  readonly isTerminal: boolean;
  write(text: string): void;
  readonly signal: AbortSignal;
}

const SCALE_EVERY_MS = 30_000;

export function watchCommand(open: () => WatchIo): Command {
  const command = new Command('watch')
    .description(
      'Shows a live level meter of a running service. With --notify it sends messages about events at the stations instead.',
    )
    .argument('[url]', 'the service: an http or https address', 'http://127.0.0.1:3000');
  return declareNotify(command).action((url: string, given: NotifyOptions) => {
    assertHttp('url', url, command);
    const io = open();
    const options = readNotify(given, command, io.notify);
    return options.notify.length > 0 ? notify(url, options, io) : watch(url, options, io);
  });
}

/** Ends when the signal aborts, or if the service refuses permanently. */
async function notify(service: string, options: NotifyOptions, io: WatchIo): Promise<void> {
  const { signal, apiKey } = io;
  const clientOf = (station: string) => createClient(addressOf(service, station), { apiKey });
  await assertAnswers(clientOf(DEFAULT_STATION), service);
  const ended = Promise.withResolvers<void>();
  whenAborted(signal, ended.resolve);
  const stop = await startNotifier(clientOf, options.link ?? service, options, io, ended.reject);
  await ended.promise.finally(stop);
}

const addressOf = (service: string, station: string) =>
  station === DEFAULT_STATION ? service : service.replace(/\/*$/, stationPath(station));

/** @throws Error if no service answers at the address */
async function assertAnswers(client: AudioMetricsClient, url: string): Promise<void> {
  await client.health.live.query().catch((cause: Error) => {
    throw new Error(`No service answers at ${url}`, { cause });
  });
}

/** Ends when the signal aborts, or if the service refuses permanently. */
async function watch(service: string, { station = DEFAULT_STATION }: NotifyOptions, io: WatchIo) {
  const { signal, apiKey } = io;
  const url = addressOf(service, station);
  const client = createClient(url, { apiKey });
  await assertAnswers(client, url);
  const meter = createLevelMeter();
  let scale = offsetScaleOf(undefined, null);
  /** Keeps the last scale if the service does not answer. */
  const refreshScale = async () => {
    const info = await client.service.info.query().catch(() => undefined);
    if (info) scale = offsetScaleOf(info.periods[0], info.calibration_offset_db);
  };
  await refreshScale();
  const refreshing = setInterval(refreshScale, SCALE_EVERY_MS);
  const ended = Promise.withResolvers<void>();
  whenAborted(signal, ended.resolve);
  const following = follow(
    client,
    {},
    {
      onPoints: (points) => {
        const line = meter.line(points, scale);
        io.write(io.isTerminal ? `\r${line}\u001b[K` : `${line}\n`);
      },
      onStale: (isStale) => {
        if (io.isTerminal) io.write('\n');
        io.say(isStale ? 'No new points: the recorder has stopped' : 'New points arrive again');
      },
      onError: ended.reject,
    },
  );
  await ended.promise.finally(() => {
    following.unsubscribe();
    clearInterval(refreshing);
  });
  if (io.isTerminal) io.write('\n');
}

const CELLS = 40;

/** How fast the held peak falls, in dB per second. */
const FALL_DB = 10;

export function createLevelMeter() {
  let peak = { db: FLOOR_DB, at: 0 };
  return {
    /** @returns the line for the newest point: bar, peak hold, level, frequency */
    line(points: readonly Point[], { unit, offset }: Pick<OffsetScale, 'unit' | 'offset'>): string {
      for (const { time, rms_db } of points) {
        const at = Date.parse(time);
        const held = Math.max(FLOOR_DB, peak.db - (Math.max(0, at - peak.at) / 1000) * FALL_DB);
        peak = { db: Math.max(held, rms_db ?? FLOOR_DB), at };
      }
      const newest = points.at(-1);
      if (!newest) return '';
      const { time, rms_db, frequency_hz, is_silence } = newest;
      const cells = (db: number) => Math.round(((db - FLOOR_DB) / -FLOOR_DB) * CELLS);
      const bar = '#'.repeat(cells(rms_db ?? FLOOR_DB)).padEnd(CELLS);
      const mark = Math.min(cells(peak.db), CELLS - 1);
      const level = rms_db === null ? '-' : (rms_db + offset).toFixed(1);
      const tone = is_silence ? 'silent' : frequency_hz === null ? '' : `${frequency_hz} Hz`;
      return `${time.slice(11, 21)}Z [${bar.slice(0, mark)}|${bar.slice(mark + 1)}] ${level.padStart(5)} ${unit} ${tone}`.trimEnd();
    },
  };
}
