// A service on one of the test engines, listening on a port of its own.
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { type AudioMetricsClient, createClient } from '../src/client/index.ts';
import { openPostgres, type PostgresOptions } from '../src/database/postgres.ts';
import { type AppOptions, createApp } from '../src/http/app.ts';
import type { Site } from '../src/operations/stations/station.ts';
import { createRollups } from '../src/rollups/store.ts';
import type { Engine, TestDatabase } from './engines.ts';
import { asStation, settingsOf } from './stations.ts';

/** The clock of every test service, fixed so that tests can compare whole answers. */
export const NOW = '2026-03-01T12:00:00.500000Z';

export interface TestService extends TestDatabase {
  app: FastifyInstance;
  url: string;
  client: AudioMetricsClient;
  /** GET under /api/v1. Parses the body if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the body
  get(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: any }>;
}

export interface TestOptions extends Partial<AppOptions> {
  /** The settings of the default station. */
  readonly site?: Partial<Site>;
}

/** Tests query the station in the environment variable STATION, or the default station. */
export async function startTestService(
  engine: Engine,
  options: TestOptions = {},
  open: Parameters<Engine['open']>[0] = {},
  port = 0,
): Promise<TestService> {
  const whole = await engine.open(open);
  const { STATION: station } = process.env;
  if (station === undefined) return startOn(whole, whole, options, port);
  const database = await asStation(whole, station, options.site);
  return startOn(whole, database, options, port, `/stations/${station}`);
}

/** Other tests may delay the event loop, so no request is refused for that. */
export const ON_A_BUSY_MACHINE = { maxEventLoopDelayMs: 0 };

/** @param database the database that requests below `path` read */
async function startOn(
  { db, rollups }: TestDatabase,
  database: TestDatabase,
  { site, ...options }: TestOptions,
  port = 0,
  path = '',
): Promise<TestService> {
  const app = await createApp({
    db,
    rollups,
    version: 'test',
    clock: () => Date.parse(NOW),
    settings: settingsOf(site),
    ...options,
    limits: { ...ON_A_BUSY_MACHINE, ...options.limits },
  });
  const url = (await app.listen({ host: '127.0.0.1', port })) + path;
  return {
    ...database,
    app,
    url,
    client: createClient(url),
    async get(path, init) {
      const response = await fetch(`${url}/api/v1${path}`, init);
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      return {
        status: response.status,
        headers: response.headers,
        body: isJson && text ? JSON.parse(text) : text,
      };
    },
    async close() {
      await app.close();
      await database.close();
    },
  };
}

/** Queries an operation over REST. Fails unless its answer has status 200 and matches the contract. */
export const queryOf =
  <Output>(service: Pick<TestService, 'get'>, path: string, output: { parse(body: unknown): Output }) =>
  async (query: string): Promise<Output> => {
    const { status, body } = await service.get(`${path}?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return output.parse(body);
  };

/** Another service on the same database; closing it leaves the database open. */
export function startBeside(
  { db, rollups, sql }: TestDatabase,
  options: TestOptions = {},
  port?: number,
): Promise<TestService> {
  const database = { db, rollups, sql, url: undefined, close: async () => {} };
  return startOn(database, database, options, port);
}

/** A service on the database of a server, without a listener. Closing it closes its connections. */
export async function createTestApp(url: string, options: Partial<PostgresOptions> = {}) {
  const limits = { queryTimeoutMs: 20_000, exportTimeoutMs: 20_000, poolWaitMs: 20_000 };
  const db = openPostgres({ url, ...limits, ...options });
  const rollups = createRollups(db);
  const clock = () => Date.parse(NOW);
  const app = await createApp({
    db,
    rollups,
    version: 'test',
    clock,
    settings: settingsOf(),
    limits: ON_A_BUSY_MACHINE,
  });
  app.addHook('onClose', () => db.close());
  return { app, db, rollups };
}

type Row = readonly [time: string, rms_db: number | null, frequency_hz: number | null, is_silence?: boolean];

/** SQL that inserts points. */
export function insertPoints(rows: readonly Row[]): string {
  const values = rows.map(
    ([time, rms, frequency, silence = false]) => `('${time}',${rms},${frequency},${silence})`,
  );
  return `insert into audio_data (time, rms_db, frequency_hz, is_silence) values ${values.join(',')}`;
}
