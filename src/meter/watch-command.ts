// The `watch` command: a level meter in the terminal, and webhooks for noise events.
import { Command, InvalidArgumentError, Option } from 'commander';
import { createClient, follow } from '../client/index.ts';
import { FIRST_INSTANT, INSTANT_ALLOWED, parseInstant } from '../contract/instant.ts';
import { InstantInput } from '../contract/instant-schema.ts';
import { Levels } from '../contract/periods.ts';
import { FLOOR_DB } from '../contract/point.ts';
import { scaleOf } from '../contract/shown-scale.ts';
import { DEFAULT_STATION, stationPath } from '../contract/station.ts';
import { createLevelMeter } from './level-meter.ts';
import { createWebhook } from './noise-event-webhook.ts';

/** What the command needs from its process. */
export interface WatchIo {
  /** Which one to watch. The default one if undefined. */
  readonly station?: string | undefined;
  /** Whether a line can overwrite the one before. */
  readonly isTerminal: boolean;
  /** Writes to standard output as it is. */
  write(text: string): void;
  /** Shows a line, given without its line break, to the user. */
  say(line: string): void;
  /** The key of this caller, where the service asks for one. */
  readonly apiKey?: string | undefined;
  readonly webhookSecret?: string | undefined;
  /** The clock, canonical. */
  now(): string;
  /** Aborts when the command must end. */
  readonly signal: AbortSignal;
}

interface Given {
  readonly threshold: number;
  readonly levels: Levels;
  readonly hold?: number;
  readonly webhook?: string;
  readonly from: string;
}

const THRESHOLD = 'a number of dB, from -50 to 0 with stored levels';
const HOLD = 'a length of time such as 500ms, 1s or 2m, up to an hour';
const ADDRESS = 'an http or https address';

/** How often it looks whether the recorder has another reference. */
const SCALE_EVERY_MS = 30_000;

export function watchCommand(open: () => WatchIo): Command {
  return new Command('watch')
    .description('A level meter of what is stored now, and webhooks for noise events. It asks a service.')
    .argument('[url]', `the service: ${ADDRESS}`, readAddress, 'http://127.0.0.1:3000')
    .option('--threshold <DB>', `of noise events: ${THRESHOLD}`, readThreshold, -10)
    .addOption(
      new Option(
        '--levels <WHICH>',
        'what --threshold and the levels that are posted are: absolute ones are sound pressure levels',
      )
        .choices(Levels.options)
        .default('stored'),
    )
    .option(
      '--hold <LENGTH>',
      `of noise events, the larger of 1 s and twice the spacing by default: ${HOLD}`,
      readHold,
    )
    .option('--webhook <URL>', `is posted each noise event: ${ADDRESS}`, readAddress)
    .option(
      '--from <TIME>',
      `posts the events since then first, such as now-1h after a break: ${INSTANT_ALLOWED}`,
      readFrom,
      'now',
    )
    .action((url: string, given: Given, command: Command) => {
      const { threshold, levels } = given;
      if (levels === 'stored' && !(threshold >= FLOOR_DB && threshold <= 0))
        command.error(`--threshold: must be ${THRESHOLD}; --levels absolute takes sound pressure levels`);
      return watch(url, given, open());
    });
}

function readAddress(text: string): string {
  if (!/^https?:/.test(text) || !URL.canParse(text)) throw new InvalidArgumentError(`It must be ${ADDRESS}.`);
  return text;
}

function readThreshold(text: string): number {
  if (!/^-?\d{1,3}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError(`It must be ${THRESHOLD}.`);
  return Number(text);
}

function readFrom(text: string): string {
  if (!InstantInput.safeParse(text).success) throw new InvalidArgumentError(`It must be ${INSTANT_ALLOWED}.`);
  return text;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60 };

function readHold(text: string): number {
  const [, number, unit = ''] = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? [];
  const seconds = Number(number) * (UNIT_SECONDS[unit] ?? Number.NaN);
  if (!(seconds >= 0 && seconds <= 3600)) throw new InvalidArgumentError(`It must be ${HOLD}.`);
  return Math.round(seconds * 1e6) / 1e6;
}

/** Ends when the signal aborts, or when the service refuses for good. */
async function watch(
  service: string,
  { threshold, levels, hold, webhook, from }: Given,
  io: WatchIo,
): Promise<void> {
  const { signal, station = DEFAULT_STATION } = io;
  const url = station === DEFAULT_STATION ? service : service.replace(/\/*$/, stationPath(station));
  const client = createClient(url, { apiKey: io.apiKey });
  await client.health.live.query().catch((cause: Error) => {
    throw new Error(`There is no service at ${url}`, { cause });
  });
  // refuses at once a threshold that no point can have, and levels that nothing calibrates
  if (levels === 'absolute') await client.events.list.query({ threshold, levels, from: 'now-10s', limit: 1 });
  const meter = createLevelMeter();
  let scale = scaleOf(undefined, null);
  /** As far as the database can be asked. */
  const askScale = async () => {
    const info = await client.service.info.query().catch(() => undefined);
    if (info) scale = scaleOf(info.periods[0], info.calibration_offset_db);
  };
  await askScale();
  const asking = setInterval(askScale, SCALE_EVERY_MS);
  const hook =
    webhook === undefined
      ? undefined
      : createWebhook(client, {
          url: webhook,
          secret: io.webhookSecret,
          threshold,
          levels,
          holdSeconds: hold,
          from: parseInstant(from, io.now()) ?? FIRST_INSTANT,
          signal,
          say: io.say,
        });
  await new Promise<void>((resolve, reject) => {
    const following = follow(
      client,
      {},
      {
        onPoints: (points) => {
          const line = meter.line(points, scale);
          io.write(io.isTerminal ? `\r${line}\u001b[K` : `${line}\n`);
          const newest = points.at(-1)?.time;
          if (newest !== undefined) hook?.post(newest);
        },
        onStale: (isStale) => {
          if (io.isTerminal) io.write('\n');
          io.say(isStale ? 'The recorder is silent' : 'Points come again');
        },
        onError: reject,
      },
    );
    const end = () => {
      following.unsubscribe();
      if (io.isTerminal) io.write('\n');
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  }).finally(() => clearInterval(asking));
}
