// What the service asks of a database: one interface, kept by two drivers.

/** SQL text with `$1`, `$2`, ..., and the name of the value that belongs at each. */
export interface Statement {
  /** Where it has one, a server reads the text once per connection; each run is still planned for its values. */
  readonly name?: string;
  readonly text: string;
  readonly parameters: readonly string[];
}

/** The values of a statement's parameters, by name. */
export type Values = Readonly<Record<string, string | number | boolean | null>>;

/**
 * A source of rows. Every method throws an `AppError`: SERVICE_UNAVAILABLE when the database cannot be
 * reached or no connection is free in time, GATEWAY_TIMEOUT when a statement is over its time limit.
 * Other faults of the database are thrown as they come.
 */
export interface Database {
  /** Runs one statement and gives all its rows, each an object by column name. */
  query<Row>(statement: Statement, values?: Values): Promise<Row[]>;

  /** Whether there are rollups that can be trusted. Where they cannot, the log says why. */
  hasRollups(): Promise<boolean>;

  /**
   * Streams the rows of a statement as the server's own CSV text, no header row, in pieces of any size.
   * Undefined where the driver cannot stream. The statement is ended when `signal` aborts or when the
   * consumer stops early.
   */
  readonly copyOut?: (
    statement: Statement,
    values: Values,
    signal?: AbortSignal,
  ) => AsyncIterable<Uint8Array>;

  /**
   * Stores points, given as CSV rows (`time,rms_db,frequency_hz,is_silence`, no header row) in pieces of any
   * size. All or nothing: when the iterable throws, nothing is stored and the error goes on to the caller.
   *
   * @returns the number of rows stored
   */
  copyIn(csv: AsyncIterable<string>): Promise<number>;

  /** Throws unless the database answers within one second and has the schema that this version needs. */
  ready(): Promise<void>;

  close(): Promise<void>;
}
