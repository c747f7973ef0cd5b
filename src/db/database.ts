// What the service needs of a database: one interface with two drivers.

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
export type Values = Readonly<Record<string, Value>>;

/** Runs one statement with the values of its `$1`, `$2`, ..., or without values several. @returns the rows of the last */
export type Run = <Row>(text: string, values?: readonly Value[]) => Promise<Row[]>;

export type Value = string | number | boolean | null;

/** What can be done in a transaction. Its statements have no time limit. */
export interface Transaction {
  readonly run: Run;
  /**
   * Stores points.
   *
   * @param csv rows without a header, in pieces of any size
   * @param into the table, as SQL. By default `audio_data`
   * @returns how many
   * @throws what the iterable throws
   */
  copy(csv: AsyncIterable<string>, into?: string): Promise<number>;
}

export interface TransactionOptions {
  /** What the role must be allowed to do: a fault of a missing right names all that it lacks for that. */
  readonly purpose?: 'store' | 'replace';
  /** Whether the caller finds out if it took place, and can repeat it: then it does not wait for a server that is gone. */
  readonly isRepeatable?: boolean;
  /** Whose tables it is about. By default the schema of the connection. */
  readonly schema?: string;
}

export interface Pool {
  readonly name: string;
  readonly max: number;
  readonly inUse: number;
  readonly idle: number;
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
  query<Row>(statement: Statement, values?: Values, signal?: AbortSignal): Promise<Row[]>;

  /**
   * Streams what a statement selects, one text without line breaks or backslashes a row, each as a line, in pieces that
   * may end anywhere. Cancels the statement when `signal` aborts or the consumer stops early. Undefined if the driver
   * cannot stream.
   */
  readonly copyOut?: (statement: Statement, values: Values, signal?: AbortSignal) => AsyncIterable<Buffer>;

  /** Does all that `work` does, or nothing where that throws. */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;

  /** Runs one statement as the owner, however long it takes. Undefined on a server. */
  readonly run?: Run;

  /** Undefined where it has no connections. */
  readonly pools?: () => readonly Pool[];

  /** Throws unless the database answers within one second and has the schema that this version needs. */
  ready(): Promise<void>;

  close(): Promise<void>;
}

/** @throws what the work throws, once all is closed */
export function closedOnFault<Result>(
  work: Promise<Result>,
  ...opened: Pick<Database, 'close'>[]
): Promise<Result> {
  return work.catch(async (error) => {
    for (const each of new Set(opened)) await each.close();
    throw error;
  });
}
