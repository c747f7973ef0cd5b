// Opens the database of the service, with all that stores points in it: the spools, and recorders of its own.
import type { Logger } from 'pino';
import { instantOf } from '../contract/instant.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { closedOnFault, type Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { withCalibration } from '../recorder/calibrations.ts';
import { messageOf } from '../recorder/progress.ts';
import type { SourceCommand } from '../recorder/source-options.ts';
import { type Source, startSource } from '../recorder/sources/source.ts';
import { admitRecorder } from '../recorder/storing/admit-recorder.ts';
import { recordedAs } from '../recorder/storing/periods/recorded-as.ts';
import { startStoring } from '../recorder/storing/spool/segment-store.ts';
import { openSpool, type Spool } from '../recorder/storing/spool/spool.ts';
import { createSpoolWriter } from '../recorder/storing/spool/spool-writer.ts';
import { stationSpool, watchStationSpools } from '../recorder/storing/spool/station-spools.ts';
import type { Config } from './config.ts';
import { openDatabase } from './serve.ts';
import { calibrationFileOf, openRecorderSpool, openServiceSpools } from './spools.ts';
import { atStation, stationIn } from './station-database.ts';

export interface Recording {
  readonly db: Database;
  /** By station. */
  readonly sources?: ReadonlyMap<string, Source>;
  /** Ends what stores; the database stays open. */
  stop(): Promise<void>;
}

/** A recorder has the embedded database for some seconds where it finds that nobody else has. */
export const LOCK_WAIT_MS = 10_000;

/**
 * On a server the service stores nothing but what it records itself, on connections of its own. A recorder that cannot
 * start does not stop others.
 *
 * @param given programs that record, each of another station
 * @param elsewhere a spool folder: with a server, in which those programs' points wait; else one more to empty
 * @param waitMs how long to wait while another process has the embedded database
 * @throws what the first recorder lacks, if none can start: AppError BAD_REQUEST where its levels do not compare with
 * those before, or lack a calibration; NOT_FOUND without its station
 */
export async function openRecording(
  config: Config,
  log: Logger,
  given: readonly SourceCommand[],
  elsewhere?: string,
  waitMs = LOCK_WAIT_MS,
): Promise<Recording> {
  const isEmbedded = config.DATABASE_URL === undefined;
  if (elsewhere !== undefined && !isEmbedded && given.length === 0)
    throw new AppError(
      'BAD_REQUEST',
      '--spool: not allowed with DATABASE_URL without --record: recorders store there themselves',
    );
  const spools = await openServiceSpools(config, elsewhere);
  const db = await openDatabase(config, log, { waitMs });
  if (given.length + spools.length === 0) return { db, stop: async () => {} };
  const stores = isEmbedded ? db : await openDatabase(config, log);
  const adds = given.some(({ mode }) => mode === 'add');
  const storing = new Map<string, ReturnType<typeof startStoring>>();
  const logOf = (station: string) => (station === DEFAULT_STATION ? log : log.child({ station }));

  function store(station: string, spool: Spool): void {
    if (storing.has(spool.folder)) return;
    const report = (line: string) => logOf(station).warn(line);
    storing.set(spool.folder, startStoring(stationIn(stores, station), spool, report, adds));
  }

  async function record(given: SourceCommand) {
    const { station } = given;
    const own = logOf(station);
    const calibrationFile = calibrationFileOf(config, station);
    const command = await withCalibration(given, { calibrationFile, progress: (line) => own.info(line) });
    const db = await atStation(stores, station);
    const spool = await openRecorderSpool(config, isEmbedded ? undefined : elsewhere, station, log);
    const recorder = {
      as: recordedAs(command),
      start: instantOf(Date.now()),
      isAlone: command.mode !== 'add',
    };
    const release = await admitRecorder(recorder, spool, db);
    try {
      const source = startRecorder(command, spool, own);
      store(station, spool);
      return { source, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  const recorders = new Map<string, Awaited<ReturnType<typeof record>>>();
  const faults: unknown[] = [];
  for (const each of given)
    await record(each).then(
      (recorder) => recorders.set(each.station, recorder),
      (error) => {
        faults.push(error);
        if (given.length > 1) logOf(each.station).error(`The recorder does not start: ${messageOf(error)}`);
      },
    );
  if (faults.length > 0 && recorders.size === 0) await closedOnFault(Promise.reject(faults[0]), db, stores);
  for (const each of spools) store(DEFAULT_STATION, each);
  const watching = spools.map(({ folder }) =>
    watchStationSpools(
      folder,
      async (station) => {
        const own = stationSpool(folder, station);
        if (!storing.has(own)) store(station, await openSpool(own, 'let the service write there'));
      },
      (line) => log.warn(line),
    ),
  );
  return {
    db,
    sources: new Map([...recorders].map(([station, { source }]) => [station, source])),
    async stop() {
      for (const { source, release } of recorders.values()) {
        await source.stop().catch((err) => log.error({ err }, 'The last points could not be written'));
        release();
      }
      for (const each of watching) await each.stop();
      for (const each of storing.values()) await each.stop();
      if (stores !== db) await stores.close();
    },
  };
}

function startRecorder(
  { spoolMaxMs, station: _, ...command }: SourceCommand,
  spool: Spool,
  log: Logger,
): Source {
  const writer = createSpoolWriter({
    spool,
    live: { intervalMs: command.intervalMs, mostMs: spoolMaxMs },
    as: recordedAs(command),
    report: (line) => log.warn(line),
  });
  return startSource({ ...command, writer, clock: Date.now, log });
}
