// Runs the service on an open database, and closes both in order. Only the service loads this file and its HTTP modules.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isLoopback } from '../commands/loopback.ts';
import type { Database } from '../database/database.ts';
import { openOwnerSocket } from '../database/embedded/owner-socket.ts';
import { isUnreachable, NotMigrated } from '../database/faults.ts';
import { reportOutages } from '../database/report-outages.ts';
import { reasonOf } from '../database/unreachable-reason.ts';
import { type AppLimits, createApp } from '../http/app.ts';
import { openKeys } from '../http/edge/keys-file.ts';
import { addressesOf, listen } from '../http/listen.ts';
import { startLoop } from '../loop.ts';
import type { Source } from '../recorder/sources/source.ts';
import { startRefreshing } from '../rollups/refresh-rollups.ts';
import { createRollups } from '../rollups/store.ts';
import { startBackgroundChecks } from '../telemetry/background-checks.ts';
import { startTelemetry } from '../telemetry/start-telemetry.ts';
import { type Config, dataDirOf } from './config.ts';
import { checkSettings, ownSettings } from './station-site.ts';

const DAY_MS = 86_400_000;
/** When to check the limits again if the database is down. */
const LIMITS_AGAIN_MS = 5000;
const NOT_READY = 'The database is not ready: the service answers 503 until it is';
const OPEN_TO_ALL =
  'Everyone who can reach HOST may query the service: set API_KEYS_FILE, or HOST=127.0.0.1 to let in only this machine';
/** How often streams poll the embedded database for new points: rarely, because it runs one statement at a time. */
const EMBEDDED_POLL_MS = 500;

/**
 * Starts the service on an open database, and closes the database with the service. Serves an embedded database to
 * commands too. If the database is down, the service starts anyway and answers 503 until the database is back.
 *
 * @param limits replace the limits of the configuration
 * @throws NotMigrated, with the command to run, if the schema is missing or older than this version
 */
export async function startService(
  config: Config,
  opened: Database,
  log: Logger,
  version: string,
  sources: ReadonlyMap<string, Source> = new Map(),
  limits: AppLimits = {},
) {
  const db = reportOutages(opened, log, NOT_READY);
  const rollups = createRollups(db, log);
  const checks = startBackgroundChecks(db, log);
  const ready = async () => {
    await db.ready();
    await rollups.inUse(); // logs the reason if they cannot be used
    void checks.check();
  };
  await ready().catch((error: Error) => {
    if (error instanceof NotMigrated) throw error;
    if (!isUnreachable(error)) log.warn({ err: error, reason: reasonOf(error) }, NOT_READY);
  });
  // as soon as the database answers, and once a day
  const limitsLoop = startLoop(
    async () => {
      await checkSettings(config, db, log, sources);
      return DAY_MS;
    },
    () => LIMITS_AGAIN_MS,
  );
  const refreshing = startRefreshing(db, log);
  const isEmbedded = config.DATABASE_URL === undefined;
  const folder = resolve(dataDirOf(config));
  const owner = isEmbedded && (await openOwnerSocket(folder, db, log, refreshing.keepOld));
  const telemetry = await startTelemetry(config, { db, latest: checks.latest }, log, version);
  const { CORS_ORIGINS: corsOrigins, TRUST_PROXY: trustProxy, SHARED_CACHE_SECONDS: seconds } = config;
  const keys = config.API_KEYS_FILE === undefined ? undefined : await openKeys(config.API_KEYS_FILE, log);
  const app = await createApp({
    db: telemetry.db,
    rollups,
    version,
    settings: ownSettings(config),
    recorderOf: (station) => sources.get(station)?.state() ?? null,
    logger: log,
    watchers: telemetry.watchers,
    limits: {
      poolSize: config.POOL_SIZE,
      // the embedded database has one session, so a small request should wait for at most one heavy statement
      ...(isEmbedded && { heavySlots: 1 }),
      maxStreams: config.MAX_STREAMS,
      // slightly above the limit of the database, so that a single statement meets that limit first; twice as long for
      // the embedded database, because a statement may wait that long for the only session
      answerTimeoutMs: config.QUERY_TIMEOUT_MS * (isEmbedded ? 2 : 1) + 250,
      ratePerMinute: config.RATE_LIMIT,
      ...limits,
    },
    ...(isEmbedded && { livePollMs: EMBEDDED_POLL_MS }),
    hosts: [config.HOST, hostname(), ...(config.ALLOWED_HOSTS ?? [])],
    ...(corsOrigins && { corsOrigins }),
    ...(trustProxy && { trustProxy }),
    ...(keys && { keys }),
    ...(seconds && { sharedSeconds: seconds }),
  });
  app.server.on('error', (err) => log.error({ err }, 'A connection could not be accepted'));
  const address = await listen(
    app,
    await addressesOf(config.HOST),
    config.PORT,
    (at) => `Audio Metrics ${version} is listening at ${at}`,
  );
  const isOpen = app.addresses().some((at) => typeof at === 'object' && !isLoopback(at.address));
  if (!keys && isOpen) log.warn(OPEN_TO_ALL);
  return {
    /** Such as `http://127.0.0.1:3000`. */
    address,
    clientOf: app.clientOf,
    /** Finishes the requests in flight, then closes the service and its database. */
    close: async () => {
      checks.stop();
      try {
        app.shutdown.begin();
        await sleep(config.SHUTDOWN_DELAY_MS);
        await app.close();
      } finally {
        if (owner) await owner.close();
        await limitsLoop.stop();
        await refreshing.stop();
        keys?.close();
        await telemetry.close();
        await db.close();
      }
    },
  };
}
