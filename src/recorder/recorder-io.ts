// Defines what a recorder command needs from its process: database, input, clock and signals.
import type { Readable } from 'node:stream';
import type { CalibrationCheck } from '../contract/calibrations.ts';
import type { Database } from '../db/database.ts';
import type { Spool } from './storing/spool/spool.ts';

/** What each station has of its own. Lines of another one than the command's begin with its name. */
export type OfStation = Pick<
  RecorderIo,
  'station' | 'openDatabase' | 'openSpool' | 'calibrationFile' | 'progress' | 'warnOfLimits'
>;

export interface RecorderIo {
  readonly station: string;
  /**
   * @param creates whether that station is made if it is missing
   * @param like the station whose settings it gets if it is made; by default it has none
   */
  at(station: string, creates: boolean, like?: string): OfStation;
  /**
   * A command calls it after it has found something to read, and closes the database, which all share that have it. The
   * embedded one may be that of another process.
   *
   * @throws FolderInUse if that process serves it to nobody; AppError NOT_FOUND if there is no such station
   */
  openDatabase(): Promise<Database>;
  database: 'embedded' | 'server';
  /**
   * Opens the folder in which points wait for the database. That of the embedded one is known to whoever opens it.
   *
   * @param folder another one, for a server
   * @throws AppError NOT_FOUND if there is none, and no such station in the embedded database: nobody would store them
   */
  openSpool(folder?: string): Promise<Spool>;
  /** Where what `record calibrate` found is kept. */
  calibrationFile: string;
  /** Stores what the database lacks of them. */
  storeChecks(checks: readonly CalibrationCheck[]): Promise<void>;
  stdin: Readable;
  /** Writes a line of what was asked for, given without its line break. */
  print(line: string): void;
  /** Shows a line, given without its line break, to the user. */
  progress(line: string): void;
  /**
   * Warns of limits of the station that levels with this reference cannot be judged by, if its limits are known here.
   *
   * @param db the station's, if it is open
   */
  warnOfLimits(reference_db: number | null, db: Database | undefined): Promise<void>;
  /** Shows how it goes on; on a terminal in place of what it showed before. Undefined removes that. */
  status(line: string | undefined): void;
  /** Whether what is shown goes to a terminal. */
  isTerminal: boolean;
  /** The clock, canonical. */
  now(): string;
  /** The clock, in milliseconds since 1970. */
  clock(): number;
  /** Aborts when the command must end. A file is then not stored; a stream keeps what was measured. */
  signal: AbortSignal;
}
