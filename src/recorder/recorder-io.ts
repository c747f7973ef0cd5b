// Defines what a recorder command needs from the process: database, input, clock and signals.
import type { CommandIo } from '../commands/input-files.ts';
import type { CalibrationCheck } from '../contract/calibrations.ts';
import type { Database } from '../database/database.ts';
import type { Spool } from './storing/spool/spool.ts';

/** The part that depends on the station. Lines about any station but the command's begin with its name. */
export type OfStation = Pick<
  RecorderIo,
  'station' | 'openDatabase' | 'openSpool' | 'calibrationFile' | 'progress' | 'warnOfLimits'
>;

/** The tokens that allow a program to post points. */
export interface Tokens {
  /** @returns undefined for an unknown token. Without `stations` it opens all */
  ownerOf(token: string): { readonly name: string; readonly stations?: readonly string[] } | undefined;
  close(): void;
}

export interface RecorderIo extends CommandIo {
  readonly station: string;
  /** @param creates whether to create a missing station. @param like the station whose settings a new one copies */
  at(station: string, creates: boolean, like?: string): OfStation;
  /**
   * Call it when there is something to read, and close the database at the end. All callers share one connection, which
   * may lead to an embedded database in another process.
   *
   * @throws FolderInUse if that process does not share its database; AppError NOT_FOUND if there is no such station
   */
  openDatabase(): Promise<Database>;
  database: 'embedded' | 'server';
  /**
   * Opens the folder in which points wait for the database. Every process that opens the embedded database stores them.
   *
   * @param folder replaces the default folder
   * @throws AppError NOT_FOUND if the embedded database has no such station, because its points would never be stored
   */
  openSpool(folder?: string): Promise<Spool>;
  /** Opens a file of tokens, which may change meanwhile. @throws Error with the reason if it cannot be used */
  openTokens(file: string): Promise<Tokens>;
  calibrationFile: string;
  /** Stores those that the database lacks. @throws Error if it is away or does not exist: calibrating creates none */
  storeChecks(checks: readonly CalibrationCheck[]): Promise<void>;
  print(line: string): void;
  /** Warns if levels with this reference do not compare with the known limits. @param db the station's, if open */
  warnOfLimits(reference_db: number | null, db: Database | undefined): Promise<void>;
  /** Shows the status; on a terminal it replaces the previous one. Undefined removes it. */
  status(line: string | undefined): void;
  isTerminal: boolean;
  /** The clock, canonical. */
  now(): string;
  /** The clock, in milliseconds since 1970. */
  clock(): number;
}
