// Defines what a recorder command needs from its process: database, input, clock and signals.
import type { Readable } from 'node:stream';
import type { Database } from '../db/database.ts';
import type { Spool } from './storing/spool/spool.ts';

export interface RecorderIo {
  readonly station: string;
  /**
   * The same for another station.
   *
   * @param open opens the database of all, which the caller closes
   */
  at(station: string, open: () => Promise<Database>): RecorderIo;
  /** Makes a station. */
  create(station: string): Promise<void>;
  /**
   * For a recorder whose points wait until others store them: without its station nobody would.
   *
   * @throws AppError NOT_FOUND if the embedded database has no such station
   */
  assertStation(): Promise<void>;
  /**
   * A command calls it after it has found something to read, and closes the database. The embedded one may be that of
   * another process.
   *
   * @throws FolderInUse if that process serves it to nobody
   */
  openDatabase(): Promise<Database>;
  database: 'embedded' | 'server';
  /**
   * Opens the folder in which points wait for the database. That of the embedded one is known to whoever opens it.
   *
   * @param folder another one, for a server
   */
  openSpool(folder?: string): Promise<Spool>;
  /** Where what `record calibrate` found is kept. */
  calibrationFile: string;
  stdin: Readable;
  /** Writes a line of what was asked for, given without its line break. */
  print(line: string): void;
  /** Shows a line, given without its line break, to the user. */
  progress(line: string): void;
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
