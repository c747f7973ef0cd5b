// What the service needs of a database: one interface with two drivers.
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

/** A change in the transaction of a COPY, on which that depends. */
export interface Guard {
  readonly statement: Statement;
  readonly values: Values;
}

/** Runs one statement with the values of its `$1`, `$2`, ... */
export type Run = <Row>(text: string, values: readonly (string | number | null)[]) => Promise<Row[]>;

/** What the transaction of a COPY does first. What it throws ends that, and nothing is stored. */
export interface Before {
  /** Whether it removes points: a right that who only adds points need not have. */
  readonly removes: boolean;
  work(run: Run): Promise<void>;
}

/** The connections of one kind, now. */
export interface Pool {
  readonly name: string;
  readonly max: number;
  readonly inUse: number;
  readonly idle: number;
  /** Queries that wait for a connection. */
  readonly waiting: number;
}

/**
 * A source of rows. Every method throws an `AppError`: SERVICE_UNAVAILABLE where the database cannot be
 * reached or no connection is free in time, GATEWAY_TIMEOUT where a statement exceeds its time limit. Other
 * faults are thrown as they come.
 */
export interface Database {
  /**
   * Runs one statement and returns all its rows, objects by column name. They are not checked: `Row` is what the
   * statement selects.
   *
   * @throws the reason of `signal` once that aborts; the statement is then cancelled
   */
  query<Row>(statement: Statement, values?: Values, signal?: Signal): Promise<Row[]>;

  /**
   * Streams what a statement selects, one text without line breaks or backslashes a row, each as a line, in pieces that
   * may end anywhere. Cancels the statement when `signal` aborts or the consumer stops early. Undefined if the driver
   * cannot stream.
   */
  readonly copyOut?: (statement: Statement, values: Values, signal?: Signal) => AsyncIterable<Buffer>;

  /**
   * Stores points, all or none, from CSV without a header row, in pieces of any size.
   *
   * @param guard runs first, in the same transaction; where it changes no row, nothing is stored. Then the time is
   *   limited: the caller finds out by the guard whether a COPY whose answer was lost took place
   * @param after what else the transaction does, once all points are in it
   * @param before what it does before, if the guard lets it
   * @returns the number of rows stored
   * @throws what the iterable throws
   */
  copyIn(
    csv: AsyncIterable<string>,
    guard?: Guard,
    after?: (run: Run) => Promise<void>,
    before?: Before,
  ): Promise<number>;

  /** Runs one statement as the owner, however long it takes. Undefined on a server. */
  readonly run?: Run;

  /** Undefined where it has no connections. */
  readonly pools?: () => readonly Pool[];

  /** Throws unless the database answers within one second and has the schema that this version needs. */
  ready(): Promise<void>;

  close(): Promise<void>;
}
