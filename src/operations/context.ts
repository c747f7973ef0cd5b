// The context of a procedure: the database, the clock of the request, the caller, and the parts of the service.
import type { TRPCMiddlewareFunction } from '@trpc/server';
import type { FileType } from '../contract/media-types.ts';
import type { Admission } from '../load/admission.ts';
import type { SharedAnswers } from '../load/shared-answers.ts';
import type { HeldPages } from '../points/held-pages.ts';
import type { Live } from './audio/live/live.ts';
import type { Overview } from './stations/overview.ts';
import type { Station } from './stations/station.ts';

/** A call of a procedure, for the metrics and the traces. */
export interface Call {
  /** Such as `audio.latest`; `unknown` if no operation has this name. */
  readonly operation: string;
  /** The number of points in its answer. It grows while the answer is streamed. */
  points: number;
  status?: number;
  /** The duration of this call in milliseconds; undefined while its answer is streamed. */
  ms?: number;
}

export interface OpenStations {
  /** The stations that the caller's key allows; undefined if all. */
  readonly opened: readonly string[] | undefined;
  /** The existing stations that the caller may query, the default one first. */
  names(): Promise<readonly string[]>;
}

/** The result of a procedure: its answer or its error. */
export type Result = Awaited<ReturnType<TRPCMiddlewareFunction<object, object, object, object, unknown>>>;

/** The queues and the answers that calls share. */
export interface SharedQueues {
  readonly admission: Admission;
  readonly answers: SharedAnswers<Result>;
}

export interface Context
  extends SharedQueues,
    Pick<Station, 'db' | 'rollups' | 'site' | 'recorder' | 'server'> {
  readonly station: string;
  readonly stations: OpenStations;
  readonly overview: Pick<Overview, 'list' | 'open'>;
  readonly live: Pick<Live, 'open' | 'canResume'>;
  /** The time of the request, canonical. */
  readonly now: string;
  /** Reads the time now, canonical. */
  readonly clock: () => string;
  /** Aborts when the connection closes, even after the answer. If shared: when all callers left, or if it is late. */
  readonly signal: AbortSignal;
  readonly fileType: FileType;
  readonly version: string;
  readonly isStopping: boolean;
  /** `process` for the service's own calls. */
  readonly transport: 'rest' | 'rpc' | 'process';
  /** The name of the caller in the queues. */
  readonly caller: string;
  readonly calls: Call[] | undefined;
  /** @throws AppError if the caller may not run this operation, or if the request did not name it */
  readonly admit: (operation: string) => void;
  /** Holds the points of the answers on tRPC. REST writes them itself. */
  readonly pages: HeldPages | undefined;
  readonly inSlot: <Value>(run: () => Promise<Value>) => Promise<Value>;
}
