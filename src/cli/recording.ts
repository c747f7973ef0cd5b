// Opens the database of the service, with all that stores points in it: the spool, and a recorder of its own.
import type { Logger } from 'pino';
import { instantOf } from '../contract/instant.ts';
import { closedOnFault, type Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { withCalibration } from '../recorder/calibrations.ts';
import type { SourceCommand } from '../recorder/source-options.ts';
import { type Source, startSource } from '../recorder/sources/source.ts';
import { admitRecorder } from '../recorder/storing/admit-recorder.ts';
import { recordedAs } from '../recorder/storing/periods/recorded-as.ts';
import { startStoring } from '../recorder/storing/spool/segment-store.ts';
import type { Spool } from '../recorder/storing/spool/spool.ts';
import { createSpoolWriter } from '../recorder/storing/spool/spool-writer.ts';
import type { Config } from './config.ts';
import { openDatabase } from './serve.ts';
import { calibrationFileOf, openRecorderSpool, openServiceSpools } from './spools.ts';

export interface Recording {
  readonly db: Database;
  readonly source?: Source;
  /** Ends what stores; the database stays open. */
  stop(): Promise<void>;
}

/** A recorder has the embedded database for some seconds where it finds that nobody else has. */
export const LOCK_WAIT_MS = 10_000;

/**
 * On a server the service stores nothing but what it records itself, on connections of its own.
 *
 * @param given a program that records, if the service is to run one
 * @param elsewhere a spool folder: with a server, in which that program's points wait; else one more to empty
 * @param waitMs how long to wait while another process has the embedded database
 * @throws AppError BAD_REQUEST where its levels do not compare with those before, or lack a calibration
 */
export async function openRecording(
  config: Config,
  log: Logger,
  given: SourceCommand | undefined,
  elsewhere?: string,
  waitMs = LOCK_WAIT_MS,
): Promise<Recording> {
  const isEmbedded = config.DATABASE_URL === undefined;
  if (elsewhere !== undefined && !isEmbedded && !given)
    throw new AppError(
      'BAD_REQUEST',
      '--spool: not allowed with DATABASE_URL without --record: recorders store there themselves',
    );
  const calibrationFile = calibrationFileOf(config);
  const command =
    given && (await withCalibration(given, { calibrationFile, progress: (line) => log.info(line) }));
  const spools =
    command && !isEmbedded
      ? [await openRecorderSpool(config, elsewhere, log)]
      : await openServiceSpools(config, elsewhere);
  const [spool] = spools;
  const db = await openDatabase(config, log, { waitMs });
  if (!spool) return { db, stop: async () => {} };
  const stores = isEmbedded ? db : await openDatabase(config, log);
  const recorder = command && {
    as: recordedAs(command),
    start: instantOf(Date.now()),
    isAlone: command.mode !== 'add',
  };
  const release = recorder && (await closedOnFault(admitRecorder(recorder, spool, stores), db, stores));
  const storing = spools.map((each) =>
    startStoring(stores, each, (line) => log.warn(line), command?.mode === 'add'),
  );
  const source = command && startRecorder(command, spool, log);
  return {
    db,
    ...(source && { source }),
    async stop() {
      await source?.stop().catch((err) => log.error({ err }, 'The last points could not be written'));
      release?.();
      for (const each of storing) await each.stop();
      if (stores !== db) await stores.close();
    },
  };
}

function startRecorder({ spoolMaxMs, ...command }: SourceCommand, spool: Spool, log: Logger): Source {
  const writer = createSpoolWriter({
    spool,
    live: { intervalMs: command.intervalMs, mostMs: spoolMaxMs },
    as: recordedAs(command),
    report: (line) => log.warn(line),
  });
  return startSource({ ...command, writer, clock: Date.now, log });
}
