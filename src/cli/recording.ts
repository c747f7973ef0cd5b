// Opens the database of the service, with all that stores points in it: the spools, and recorders of its own.
import type { Logger } from 'pino';
import { instantOf } from '../contract/instant.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { addChecks } from '../db/calibrations.ts';
import { closedOnFault, type Database } from '../db/database.ts';
import { isMissing } from '../db/station-schemas.ts';
import { AppError } from '../errors.ts';
import { alsoOf, alsoStation } from '../recorder/also.ts';
import { readCalibrations, withCalibration } from '../recorder/calibrations.ts';
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
import { makeStation } from './make-station.ts';
import { openDatabase } from './open-database.ts';
import { calibrationFileOf, openRecorderSpool, openServiceSpools } from './spools.ts';
import { atStation, stationIn } from './station-database.ts';
import { limitsWarning, settingsOf } from './station-site.ts';

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
  const sources = new Map<string, Source>();
  const releases: (() => void)[] = [];
  const logOf = (station: string) => (station === DEFAULT_STATION ? log : log.child({ station }));

  function store(station: string, spool: Spool): void {
    if (storing.has(spool.folder)) return;
    const report = (line: string) => logOf(station).warn(line);
    storing.set(spool.folder, startStoring(stationIn(stores, station), spool, report, adds));
  }

  /** Makes the station of a second level if it is missing, with the settings of the first. */
  async function atSecond(second: string, station: string, db: Database): Promise<Database> {
    return atStation(stores, second).catch(async (error) => {
      if (!isMissing(error)) throw error;
      await makeStation({ config, log }, async () => stores, second, await settingsOf(config, station, db));
      return stationIn(stores, second);
    });
  }

  async function atGiven(station: string): Promise<Database> {
    return atStation(stores, station).catch((error) => {
      if (!isMissing(error)) throw error;
      const advice = `If ${station} is a variable of the command, write --record 'default=${station}=...'`;
      throw new AppError('NOT_FOUND', `${messageOf(error)}. ${advice}`);
    });
  }

  /** Admits what a program records to a station. @returns what begins to store it, and what gives the spool back */
  async function admit(station: string, command: Omit<SourceCommand, 'station'>, db: Database) {
    const own = logOf(station);
    const spool = await openRecorderSpool(config, isEmbedded ? undefined : elsewhere, station, log);
    const { intervalMs, spoolMaxMs: mostMs, mode } = command;
    const as = recordedAs(command, 'machine');
    const release = await admitRecorder(
      { as, start: instantOf(Date.now()), isAlone: mode !== 'add' },
      spool,
      db,
    );
    const report = (line: string) => own.warn(line);
    const warning = await limitsWarning(config, station, db, as.settings.reference_db);
    if (warning !== undefined) report(warning);
    const writer = createSpoolWriter({ spool, live: { intervalMs, mostMs }, as, report });
    const begin = (source: Source) => {
      sources.set(station, source);
      releases.push(release);
      store(station, spool);
    };
    return { writer, begin, release };
  }

  async function record(given: SourceCommand): Promise<void> {
    const { station } = given;
    const own = logOf(station);
    const other = given.also && alsoStation(given.also, station);
    const calibrationFile = calibrationFileOf(config, station);
    const command = await withCalibration(given, { calibrationFile, progress: (line) => own.info(line) });
    const second = alsoOf(command);
    const db = await atGiven(station);
    const admitted = [await admit(station, command, db)];
    void readCalibrations(calibrationFile) // a server that is away takes them once it is back
      .then((checks) => db.transaction(({ run }) => addChecks(run, checks)))
      .catch(() => {}); // the file keeps them
    try {
      if (second && other !== undefined)
        admitted.push(await admit(other, second, await atSecond(other, station, db)));
      const [writer, alsoWriter] = admitted.map((each) => each.writer);
      if (!writer) return;
      const source = startSource({ ...command, writer, alsoWriter, clock: Date.now, log: own });
      for (const { begin } of admitted) begin(source);
    } catch (error) {
      for (const { release } of admitted) release();
      throw error;
    }
  }

  const faults: unknown[] = [];
  for (const each of given)
    await record(each).catch((error) => {
      faults.push(error);
      if (given.length > 1) logOf(each.station).error(`The recorder does not start: ${messageOf(error)}`);
    });
  if (faults.length > 0 && sources.size === 0) await closedOnFault(Promise.reject(faults[0]), db, stores);
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
    sources,
    async stop() {
      for (const source of new Set(sources.values()))
        await source.stop().catch((err) => log.error({ err }, 'The last points could not be written'));
      for (const release of releases) release();
      for (const each of [...watching, ...storing.values()]) await each.stop();
      if (stores !== db) await stores.close();
    },
  };
}
