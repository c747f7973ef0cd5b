// What the embedded database is asked, of its worker and through the socket of its owner, and what it answers: one
// request at a time.

import type { Value } from '../database.ts';

export interface Opening {
  /** SQL that makes the settings of the session. */
  readonly settings: string;
  /** Where the files are. Without it everything is in memory. */
  readonly files?: string;
  readonly isNew?: boolean;
  /** The file of a dump of a data folder to start from, in memory. */
  readonly template?: string;
}

export type Request =
  | { readonly kind: 'query'; readonly text: string; readonly values: readonly Value[] }
  /** Several statements, without values. The answer is that of the last. */
  | { readonly kind: 'script'; readonly text: string }
  /** A COPY from `/dev/blob`, and what that holds. For an owner that makes its own of it: the table, if it is another. */
  | { readonly kind: 'copy'; readonly text: string; readonly into?: string | undefined; readonly csv: string }
  | { readonly kind: 'begin' | 'commit' | 'rollback' }
  | { readonly kind: 'close' };

/** `Row` is what the statement selects: nobody checks it. */
export type Reply<Row> = Answer<Row> | Fault;

export interface Answer<Row> {
  readonly kind: 'answer';
  /** Objects by column name. */
  readonly rows: Row[];
  readonly affectedRows: number;
}

export const DONE: Answer<never> = { kind: 'answer', rows: [], affectedRows: 0 };

export interface Fault {
  readonly kind: 'fault';
  readonly message: string;
  /** SQLSTATE, detail and so on. */
  readonly fields: Readonly<Record<string, string>>;
  /** Such as the error of the database that an explained one has. */
  readonly cause?: Fault;
}

export function faultOf(error: Error): Fault {
  const texts = Object.entries(error).filter(([, value]) => typeof value === 'string');
  const cause = error.cause instanceof Error && faultOf(error.cause);
  return {
    kind: 'fault',
    message: error.message,
    fields: Object.fromEntries(texts),
    ...(cause && { cause }),
  };
}
