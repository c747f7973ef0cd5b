// What the service asks of a database: one interface, kept by two drivers.

import type { Signal } from '../signal.ts';

/** SQL text with `$1`, `$2`, ..., and the name of the value that belongs at each. */
export interface Statement {
  /** A server parses a named text once per connection. Each run is still planned for its values. */
  readonly name?: string;
  /** What traces call it, where it has no name. */
  readonly label?: string;
  readonly text: string;
  readonly parameters: readonly string[];
}

/** The values of a statement's parameters, by name. */
export type Values = Readonly<Record<string, string | number | boolean | null>>;

/** The connections of one kind, now. */
export interface Pool {
  readonly name: string;
  readonly max: number;
  readonly inUse: number;
  readonly idle: number;
  /** Questions that wait for a connection. */
  readonly waiting: number;
}

/**
 * A source of rows. Every method throws an `AppError`: SERVICE_UNAVAILABLE where the database cannot be
 * reached or no connection is free in time, GATEWAY_TIMEOUT where a statement exceeds its time limit. Other
 * faults are thrown as they come.
 */
export interface Database {
  /**
   * Runs one statement and gives all its rows, each an object by column name. Where `signal` aborts, the statement
   * ends and its reason is thrown.
   */
  query<Row>(statement: Statement, values?: Values, signal?: Signal): Promise<Row[]>;

  /** The same, with the rows in binary (rows.ts): one buffer, and no object for each. */
  readRows(statement: Statement, values?: Values, signal?: Signal): Promise<Buffer>;

  /**
   * Streams rows in binary, some whole ones in each piece. Ends the statement when `signal` aborts or the consumer
   * stops early. Undefined where the driver cannot stream.
   */
  readonly streamRows?: (statement: Statement, values: Values, signal?: Signal) => AsyncIterable<Buffer>;

  /**
   * Stores points, all or none. They come as CSV rows (no header row, the columns in their order) in pieces of
   * any size. Where the iterable throws, nothing is stored and its error reaches the caller.
   *
   * @returns the number of rows stored
   */
  copyIn(csv: AsyncIterable<string>): Promise<number>;

  /** Its connections; undefined where it has none. */
  readonly pools?: () => readonly Pool[];

  /** Throws unless the database answers within one second and has the schema that this version needs. */
  ready(): Promise<void>;

  close(): Promise<void>;
}
