// The interface between the service and a database. Two drivers implement it.

/**
 * SQL text with `$1`, `$2`, ..., and the names of their values in that order. `Row` is the type of a returned row: an
 * object by column name. The SQL of a compiled statement declares it.
 */
export interface Statement<Row = unknown> {
  /** If set, a server parses the statement once per connection, but plans each run for its values. */
  readonly name?: string;
  /** The name in traces, for a statement without a `name`. */
  readonly label?: string;
  readonly text: string;
  readonly parameters: readonly string[];
  /**
   * The server that holds the tables now, if others stand behind the same database. Undefined for that of the database.
   */
  readonly server?: string | undefined;
  /** Only a type: statements do not have it. */
  readonly row?: Row;
}

export type Values = Readonly<Record<string, Value>>;

/** Runs one statement with its values, or several statements without values. @returns the rows of the last */
export type RunStatement = <Row>(text: string, values?: readonly Value[]) => Promise<Row[]>;

export type Value = string | number | boolean | null;

/** What runs statements: a database, or a transaction. */
export interface Queries {
  /** Returns all rows. @throws the reason of `signal` once it aborts, after cancelling. A transaction ignores it */
  query<Row>(statement: Statement<Row>, values?: Values, signal?: AbortSignal): Promise<Row[]>;
}

/** Statements in a transaction may run for any length of time. */
export interface Transaction extends Queries {
  readonly run: RunStatement;
  /** @param csv a few rows, no header. @param schema unquoted; by default the connection's. @returns their number */
  copy(csv: string, schema?: string): Promise<number>;
}

export interface TransactionOptions {
  /** Why the work needs rights. If one is missing, the error names all that the role lacks for this purpose. */
  readonly purpose?: 'store' | 'replace';
  /** Whether the caller can detect a commit and repeat the work. If so, a transaction gives up on a hanging server. */
  readonly isRepeatable?: boolean;
  /** The schema of the tables. By default that of the connection. */
  readonly schema?: string;
  /** As in a statement. */
  readonly server?: string | undefined;
}

export interface Pool {
  readonly name: string;
  readonly max: number;
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
}

/**
 * A source of rows. For known faults, its methods throw an `AppError`: SERVICE_UNAVAILABLE if the database cannot be
 * reached or no connection becomes free in time, GATEWAY_TIMEOUT if a statement exceeds its time limit. They throw other
 * faults unchanged.
 */
export interface Database extends Queries {
  /**
   * Streams one line per row of a statement that selects a text without line breaks or backslashes. Pieces may end
   * anywhere. Cancels the statement when `signal` aborts or the consumer stops early. Undefined if the driver cannot
   * stream.
   */
  readonly copyOut?: (statement: Statement, values: Values, signal?: AbortSignal) => AsyncIterable<Buffer>;

  /** The worker of a cluster that holds the tables; undefined if the server of the connection holds them. */
  readonly server?: () => string | undefined;

  /** Commits everything that `work` does, or nothing if `work` throws. */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;

  /** Runs statements as the owner of the tables, however long they take. Undefined on a server. */
  readonly run?: RunStatement;

  /** Undefined for a database without connections. */
  readonly pools?: () => readonly Pool[];

  /** Throws unless the database answers within one second and has the schema that this version needs. */
  ready(): Promise<void>;

  close(): Promise<void>;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  /** Long details, such as SQL to run. */
  debug?(fields: object, message: string): void;
}

export const NO_LOG: Log = { info() {}, warn() {} };

/** @returns a log that adds the station to each line */
export const logOf = (log: Log, station: string): Log => ({
  info: (fields, message) => log.info({ station, ...fields }, `${station}: ${message}`),
  warn: (fields, message) => log.warn({ station, ...fields }, `${station}: ${message}`),
  debug: (fields, message) => log.debug?.({ station, ...fields }, `${station}: ${message}`),
});
