// Opens the service's database, and starts to store points from spools and from the service's own recorders.
import type { Logger } from 'pino';
import { messageOf } from '../commands/progress.ts';
import { instantOf } from '../contract/instant.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { addChecks } from '../database/calibrations.ts';
import type { Database } from '../database/database.ts';
import { closedOnFault } from '../database/faults.ts';
import { isMissing } from '../database/station-schemas.ts';
import { AppError } from '../errors.ts';
import { alsoOf } from '../recorder/also.ts';
import { readCalibrations, withCalibration } from '../recorder/calibrations.ts';
import type { SourceCommand } from '../recorder/source-options.ts';
import { type Source, startSource } from '../recorder/sources/source.ts';
import { admitRecorder } from '../recorder/storing/admit-recorder.ts';
import { recordedAs } from '../recorder/storing/periods/recorded-as.ts';
import { startStoring } from '../recorder/storing/spool/segment-store.ts';
import { openSpool, type Spool, stationSpool, watchStationSpools } from '../recorder/storing/spool/spool.ts';
import { createSpoolWriter } from '../recorder/storing/spool/spool-writer.ts';
import type { Config } from './config.ts';
import { makeStation } from './make-station.ts';
import {
  calibrationFileOf,
  LOCK_WAIT_MS,
  openDatabase,
  openRecorderSpool,
  openServiceSpools,
} from './open-database.ts';
import { atStation, limitsWarning, settingsOf, stationIn } from './station-site.ts';

export interface Recording {
  readonly db: Database;
  readonly sources?: ReadonlyMap<string, Source>;
  /** Stops storing. The database stays open. */
  stop(): Promise<void>;
}

/**
 * On a server, the service stores only points of its own recorders, on separate connections. A recorder that cannot
 * start does not stop others.
 *
 * @param given recording programs, at most one per station
 * @param elsewhere a spool folder. With a server, the programs use it. Without one, the service empties it too
 * @param waitMs how long to wait while another process holds the embedded database
 * @throws the fault of the first recorder if none can start: AppError NOT_FOUND without its station, BAD_REQUEST if its
 * levels do not compare with earlier ones or lack a calibration
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
      '--spool: needs --record if DATABASE_URL is set, because other recorders store on the server themselves',
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

  async function atGiven(station: string): Promise<Database> {
    return atStation(stores, station).catch((error) => {
      if (!isMissing(error)) throw error;
      const advice = `If ${station} is an environment variable of the command, write --record 'default=${station}=...'`;
      throw new AppError('NOT_FOUND', `${messageOf(error)}. ${advice}`);
    });
  }

  /** Admits a recording program to a station. @returns functions to begin storing and to release the spool */
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
    const calibrationFile = calibrationFileOf(config, station);
    const command = await withCalibration(given, {
      station,
      calibrationFile,
      progress: (line) => own.info(line),
    });
    const db = await atGiven(station);
    const admitted = [await admit(station, command, db)];
    void readCalibrations(calibrationFile)
      .then((checks) => db.transaction((transaction) => addChecks(transaction, checks)))
      .catch(() => {}); // the file keeps the checks for the next start
    try {
      for (const { station: other, level } of alsoOf(command, station)) {
        // a station made for a further level has the settings of the first level's station
        const make = async () =>
          makeStation({ config, log }, other, await settingsOf(config, station, db), stores);
        admitted.push(await admit(other, level, await atStation(stores, other, make)));
      }
      const writers = admitted.map((each) => each.writer);
      const source = startSource({ ...command, writers, clock: Date.now, log: own });
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
      if (given.length > 1) logOf(each.station).error(`The recorder cannot start: ${messageOf(error)}`);
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
