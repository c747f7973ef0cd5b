// The requests to the embedded database, through its worker or its owner's socket, and the answers. One request runs at
// a time.
import type { Value } from '../database.ts';

export interface EngineOptions {
  /** SQL that configures the session. */
  readonly settings: string;
  /** The folder of the files. Without it everything is in memory. */
  readonly files?: string;
  readonly isNew?: boolean;
  /** In memory: the dump of a data folder to start from. */
  readonly template?: string;
}

export type Request =
  | { readonly kind: 'query'; readonly text: string; readonly values: readonly Value[] }
  /** Several statements, without values. The answer belongs to the last. */
  | { readonly kind: 'script'; readonly text: string }
  /** `text` is a COPY from `/dev/blob`, `csv` the blob. The folder's owner writes its own COPY. */
  | {
      readonly kind: 'copy';
      readonly text: string;
      readonly schema?: string | undefined;
      readonly csv: string;
    }
  | { readonly kind: 'begin' | 'commit' | 'rollback' }
  | { readonly kind: 'close' };

/** `Row` must match what the statement selects: nothing checks it. */
export type Reply<Row> = Answer<Row> | FaultReply;

export interface Answer<Row> {
  readonly kind: 'answer';
  /** Objects by column name. */
  readonly rows: Row[];
  readonly affectedRows: number;
}

export const DONE: Answer<never> = { kind: 'answer', rows: [], affectedRows: 0 };

export interface FaultReply {
  readonly kind: 'fault';
  readonly message: string;
  /** SQLSTATE, detail and so on. */
  readonly fields: Readonly<Record<string, string>>;
  /** For example the database's error behind its explanation. */
  readonly cause?: FaultReply;
}

export function faultReply(error: Error): FaultReply {
  const texts = Object.entries(error).filter(([, value]) => typeof value === 'string');
  const cause = error.cause instanceof Error && faultReply(error.cause);
  return {
    kind: 'fault',
    message: error.message,
    fields: Object.fromEntries(texts),
    ...(cause && { cause }),
  };
}
