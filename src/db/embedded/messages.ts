// What the embedded database is asked by the main thread, and what its worker answers: one request at a time.

export interface Opening {
  /** SQL that makes the settings of the session. */
  readonly settings: string;
  /** Where the files are. Without it everything is in memory. */
  readonly files?: string;
  readonly isNew?: boolean;
  /** The file of a dump of a data folder to start from, in memory. */
  readonly template?: string;
}

export type Value = string | number | boolean | null | readonly string[];

export type Request =
  | { readonly kind: 'query'; readonly text: string; readonly values: readonly Value[] }
  /** Several statements, without values. The answer is that of the last. */
  | { readonly kind: 'script'; readonly text: string }
  /** A COPY from `/dev/blob`, and what that holds. */
  | { readonly kind: 'copy'; readonly text: string; readonly csv: string }
  | { readonly kind: 'close' };

/** `Row` is what the statement selects: nobody checks it. */
export type Reply<Row> = Answer<Row> | Fault;

export interface Answer<Row> {
  readonly kind: 'answer';
  /** Objects by column name. */
  readonly rows: Row[];
  readonly affectedRows: number;
}

export interface Fault {
  readonly kind: 'fault';
  readonly error: Error;
  /** SQLSTATE, detail and so on, which a message between threads loses. */
  readonly fields: Readonly<Record<string, string>>;
}
