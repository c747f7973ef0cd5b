// What a procedure answers with: the database, the clock of the request, who calls, and what the service knows of itself.
import type { TRPCMiddlewareFunction } from '@trpc/server';
import type { FileType, PageType } from '../contract/media-types.ts';
import type { Live } from '../live/live.ts';
import type { Admission } from '../load/admission.ts';
import type { SharedAnswers } from '../load/shared-answers.ts';
import type { Station } from '../stations/station.ts';
import type { Overview } from './overview.ts';

/** A call of a procedure, for the metrics and the traces. */
export interface Call {
  /** Such as `audio.latest`; `unknown` if there is none of its name. */
  readonly operation: string;
  /** The points of its answer; they grow while it is streamed. */
  points: number;
  status?: number;
  /** How long it took by itself, in milliseconds; undefined while it is streamed. */
  ms?: number;
}

export interface OpenStations {
  /** The names of the key; undefined if the caller may ask all. */
  readonly opened: readonly string[] | undefined;
  /** Of those that there are, the default one first. */
  names(): Promise<readonly string[]>;
}

/** What a procedure ends with: its answer or its error. */
export type Result = Awaited<ReturnType<TRPCMiddlewareFunction<object, object, object, object, unknown>>>;

/** What calls wait for, and what they share. */
export interface Turns {
  readonly admission: Admission;
  readonly answers: SharedAnswers<Result>;
}

export interface Context extends Turns, Pick<Station, 'db' | 'rollups' | 'site' | 'recorder'> {
  /** The name of the station that is asked. */
  readonly station: string;
  /** Those that the caller may ask. */
  readonly stations: OpenStations;
  readonly overview: Pick<Overview, 'list' | 'open'>;
  readonly live: Pick<Live, 'open' | 'canResume'>;
  /** The clock of the request, read once. */
  readonly now: string;
  /**
   * Aborts when the connection of the response closes, after a whole answer too. Of a shared answer: when its last
   * caller has left, or it takes too long.
   */
  readonly signal: AbortSignal;
  /** What a page of points is sent as: the database writes it. */
  readonly pageType: PageType;
  readonly fileType: FileType;
  readonly version: string;
  readonly isStopping: boolean;
  readonly transport: 'rest' | 'rpc';
  /** What the queues tell callers apart by. */
  readonly caller: string;
  readonly calls: Call[] | undefined;
  readonly inTurn: <Value>(run: () => Promise<Value>) => Promise<Value>;
}
