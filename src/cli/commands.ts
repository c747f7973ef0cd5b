// Runs the commands of the program.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import closeWithGrace, { type Options } from 'close-with-grace';
import { instantOf } from '../contract/instant.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { timeZoneClock } from '../contract/time-zone-clock.ts';
import { addChecks } from '../database/calibrations.ts';
import { closedOnFault, FolderInUse } from '../database/faults.ts';
import { listStations, noStation } from '../database/station-schemas.ts';
import { createKey } from '../http/edge/api-keys.ts';
import { openKeys, readKeysFile } from '../http/edge/keys-file.ts';
import { assertCanListen } from '../http/listen.ts';
import { type NotifyIo, startNotifier } from '../notify/notifier.ts';
import type { NotifyOptions } from '../notify/notify-options.ts';
import { demoFeed } from '../recorder/demo/demo-feed.ts';
import { FULL_SCALE_DB } from '../recorder/demo/demo-points.ts';
import type { OfStation, RecorderIo } from '../recorder/recorder-io.ts';
import type { ProgramOfStation, SourceCommand } from '../recorder/source-options.ts';
import { isRemoved } from '../recorder/storing/periods/note-periods.ts';
import { refreshInSteps } from '../rollups/refresh-rollups.ts';
import { onDatabase, openerOfStations } from './command-database.ts';
import { type Config, ConfigurationError, dataDirOf } from './config.ts';
import { type Environment, logUnhandledErrors } from './environment.ts';
import { startImporters } from './importers.ts';
import { makeStation, migrationOf } from './make-station.ts';
import { migrate } from './migrate.ts';
import { calibrationFileOf, openDatabase, openRecorderSpool, spoolOf } from './open-database.ts';
import { pageAddress } from './page-address.ts';
import { openRecording, type Recording } from './recording.ts';
import { atStation, limitsWarning, settingsOf } from './station-site.ts';
import type { WatchIo } from './watch/watch-command.ts';

export async function serve(
  environment: Environment,
  commands: readonly SourceCommand[],
  spool: string | undefined,
  importers: readonly ProgramOfStation[],
  notify: NotifyOptions,
): Promise<void> {
  const { config, log } = environment;
  await assertCanStart(config);
  const recording = await openRecording(config, log, commands, spool);
  const endImporters = startImporters(importers, log);
  // importers first: the service stores what they leave in the spool
  // but late ones must not take the time of the requests in flight: what they acknowledged is on disk
  const most = config.SHUTDOWN_TIMEOUT_MS / 2;
  const stop = () =>
    Promise.race([endImporters(), delay(most, undefined, { ref: false })]).finally(recording.stop);
  await run(environment, { ...recording, stop }, notify);
}

/** Checks, before the database opens, everything else that could keep the service from starting. */
async function assertCanStart({ HOST, PORT, METRICS_PORT, API_KEYS_FILE }: Config): Promise<void> {
  if (API_KEYS_FILE !== undefined)
    await readKeysFile(API_KEYS_FILE).catch(({ message }) => {
      throw new ConfigurationError(message);
    });
  await assertCanListen(HOST, PORT);
  if (METRICS_PORT !== undefined) await assertCanListen(HOST, METRICS_PORT, 'METRICS_PORT');
}

/** Gives the demo limits and a calibration, so that the page can compare its levels with limits. */
const DEMO_SITE = { LIMITS: '06-22=55,22-06=45', CALIBRATION_OFFSET_DB: FULL_SCALE_DB };

export async function demo(environment: Environment): Promise<void> {
  const {
    config: { DATABASE_URL: _, DATA_DIR = './data-demo', TIME_ZONE = ownTimeZone(), ...others },
    log,
    terminal: { say },
  } = environment;
  const config = { ...DEMO_SITE, ...others, DATA_DIR, TIME_ZONE };
  await assertCanStart(config);
  const db = await openDatabase(config, log, { points: 'made up' });
  const start = now();
  const feed = demoFeed(db, timeZoneClock(TIME_ZONE), (...args) => refreshInSteps(db, ...args));
  const filled = feed.fillLastDay(start, say).then(() => refreshInSteps(db));
  await closedOnFault(filled, db);
  const live = feed.startLive(start, now, (line) => log.warn(line), say);
  say(invitation(await run({ ...environment, config }, { db, stop: live.stop })));
}

/** The time zone of this machine, `UTC` if it has none. */
const ownTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

export async function migrateServer({ config, log }: Environment, only?: string): Promise<void> {
  const settings = { ...migrationOf(config), log };
  if (only === undefined || only === DEFAULT_STATION)
    await migrate({
      ...settings,
      rawRetention: config.RAW_RETENTION,
      historyRetention: config.HISTORY_RETENTION,
      former: config.former,
    });
  if (only === DEFAULT_STATION) return;
  const db = await openDatabase({ ...config, DATABASE_URL: settings.url }, log);
  const found = await listStations(db).finally(() => db.close());
  const stations = found.filter(({ name }) => only === undefined || name === only);
  if (only !== undefined && stations.length === 0) throw noStation(only);
  const failed: string[] = [];
  for (const { name } of stations) {
    log.info({}, `Station ${name}:`);
    await migrate({ ...settings, station: { name } }).catch((err) => {
      log.error({ err }, `The station ${name} could not be migrated: fix the cause and run this again`);
      failed.push(name);
    });
  }
  if (failed.length > 0) throw new Error(`Stations that could not be migrated: ${failed.join(', ')}`);
}

export function printKey(name: string, { stations }: { stations?: string }): void {
  const { key, line } = createKey(name, stations);
  process.stdout.write(`${key}\n`);
  process.stderr.write('\nThis is the key. It is shown only once. Add this line to API_KEYS_FILE:\n\n');
  process.stdout.write(`${line}\n`);
}

const notifyIo = (config: Config, version: string, io: Pick<NotifyIo, 'say' | 'note'>): NotifyIo => ({
  ...io,
  version,
  folder: join(dataDirOf(config), 'notify'),
  webhookSecret: config.WEBHOOK_SECRET,
  ntfyToken: config.NTFY_TOKEN,
  now,
});

/** For the level meter of a station, or the notifier of a service. A signal ends it. */
export const watchIo = ({ config, version, terminal: { say }, ended }: Environment): WatchIo => ({
  ...notifyIo(config, version, { say, note: say }),
  apiKey: config.API_KEY,
  notify: config.NOTIFY,
  isTerminal: process.stdout.isTTY === true,
  write: (text) => process.stdout.write(text),
  signal: ended(),
});

export function recorderIo(environment: Environment, station: string): RecorderIo {
  const { config, log, terminal, ended } = environment;
  const { say, status, isTerminal } = terminal;
  const database = config.DATABASE_URL === undefined ? 'embedded' : 'server';
  const open = openerOfStations(environment, station);

  async function make(station: string, like: string | undefined): Promise<void> {
    if (like === undefined) return makeStation(environment, station);
    const first = await open(like);
    const settings = await settingsOf(config, like, first).finally(() => first.close());
    await makeStation(environment, station, settings);
  }

  function of(station: string, creates: boolean, progress: (line: string) => void, like?: string): OfStation {
    const openDatabase = () => open(station, creates ? () => make(station, like) : undefined);
    async function assertStation() {
      const folder = spoolOf(config, station);
      if (station === DEFAULT_STATION || (existsSync(folder) && !(await isRemoved({ folder })))) return;
      const db = await openDatabase().catch((error) => {
        if (!(error instanceof FolderInUse)) throw error;
      });
      await db?.close();
    }
    return {
      station,
      openDatabase,
      async openSpool(folder) {
        if (database === 'embedded' && folder === undefined) await assertStation();
        return openRecorderSpool(config, folder, station, log);
      },
      calibrationFile: calibrationFileOf(config, station),
      progress,
      async warnOfLimits(reference_db, db) {
        const warning = await limitsWarning(config, station, db, reference_db);
        if (warning !== undefined) progress(`Warning: ${warning}.`);
      },
    };
  }

  return {
    ...of(station, false, say),
    at: (other, creates, like) => of(other, creates, (line) => say(`${other}: ${line}`), like),
    storeChecks(checks) {
      const quiet = { ...environment, log: log.child({}, { level: 'error' }) };
      return onDatabase(
        quiet,
        async (db) => (await atStation(db, station)).transaction((each) => addChecks(each, checks)),
        false, // a recorder may lack the owner's URL
      );
    },
    openTokens: (file) => openKeys(file, log, undefined, '--tokens'),
    database,
    stdin: process.stdin,
    print: environment.print,
    status,
    isTerminal,
    now,
    clock: Date.now,
    signal: ended(),
  };
}

const now = (): string => instantOf(Date.now());

/** Serves until a signal, then finishes requests in flight before a deadline. @returns the address, once it listens */
async function run(
  { config, log, version }: Environment,
  { db, sources, stop }: Recording,
  notify?: NotifyOptions,
): Promise<string> {
  const { startService } = await import('./serve.ts'); // the HTTP modules take 30 MB
  const starting = startService(config, db, log, version, sources);
  const service = await closedOnFault(starting, { close: stop }, db);
  logUnhandledErrors(log);
  const { address, clientOf } = service;
  const lines = { say: (line: string) => log.warn({}, line), note: (line: string) => log.info({}, line) };
  const io = notifyIo(config, version, lines);
  const ended = (err: Error) => log.error({ err }, 'Notifications have stopped: restart the service');
  const notifying =
    notify && notify.notify.length > 0
      ? await closedOnFault(
          startNotifier(clientOf, notify.link ?? pageAddress(config, address), notify, io, ended),
          { close: stop },
          service,
        )
      : undefined;
  const grace: Options = {
    delay: config.SHUTDOWN_DELAY_MS + config.SHUTDOWN_TIMEOUT_MS,
    logger: log,
    skip: ['uncaughtException', 'unhandledRejection'],
  };
  closeWithGrace(grace, async ({ signal }) => {
    log.info({ signal }, 'Shutting down after the requests in flight');
    await stop();
    await notifying?.();
    await service.close();
  });
  return address;
}

const invitation = (address: string): string => `
Audio Metrics is ready, with the made-up sound of a courtyard. It keeps growing, and
fills in two weeks meanwhile, newest first:

  ${address}/

Try these queries:

  curl '${address}/api/v1/audio/latest?limit=3'
  curl '${address}/api/v1/audio/range?from=now-10s&to=now'
  curl '${address}/api/v1/stats/summary?period=24h'
  curl '${address}/api/v1/events/list?above_background=10&hold_seconds=10&min_duration_seconds=5&limit=5'
  curl -N '${address}/api/v1/audio/live'
  curl '${address}/api/v1/export/csv?from=now-1h&to=now' -o points.csv
  curl '${address}/api/v1/health/ready'

API reference: ${address}/docs
Ctrl-C stops the demo and keeps its points. The next start fills gaps in the past two weeks.
`;
