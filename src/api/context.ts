// What a procedure answers with: the database, the clock of the request, who calls, and what the service knows of itself.
import type { TRPCMiddlewareFunction } from '@trpc/server';
import type { Limit } from '../contract/limits.ts';
import type { FileType, PageType } from '../contract/media-types.ts';
import type { RecorderState } from '../contract/service.ts';
import type { Live } from '../live/live.ts';
import type { Admission } from '../load/admission.ts';
import type { SharedAnswers } from '../load/shared-answers.ts';
import type { Store } from '../store/store.ts';

export interface Site {
  readonly name: string | null;
  readonly timeZone: string;
  readonly limits: Limit[];
  /** The sound pressure level in dB that 0 dBFS stands for; null where that is not known. */
  readonly calibrationOffsetDb: number | null;
}

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

/** What a procedure ends with: its answer or its error. */
export type Result = Awaited<ReturnType<TRPCMiddlewareFunction<object, object, object, object, unknown>>>;

/** What calls wait for, and what they share. */
export interface Turns {
  readonly admission: Admission;
  readonly answers: SharedAnswers<Result>;
}

export interface Context extends Store, Turns {
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
  readonly site: Site;
  readonly recorder: () => RecorderState | null;
  readonly live: Pick<Live, 'open' | 'canResume'>;
  readonly isStopping: boolean;
  readonly transport: 'rest' | 'rpc';
  /** What the queues tell callers apart by. */
  readonly caller: string;
  readonly calls: Call[] | undefined;
  readonly inTurn: <Value>(run: () => Promise<Value>) => Promise<Value>;
}
