// What operations answer, by kind: one value, points, a file, or a stream of events.
import type { LiveStream } from '../live/live.ts';
import type { FilePiece, Points } from '../points/points.ts';

/** What the transports read of a value: where its window ends, and how its next page is asked for. */
interface Value {
  readonly to?: string | null;
  readonly next_cursor?: string | null;
}

/** One value, sent as JSON. */
export interface JsonAnswer<T = Value> {
  readonly kind: 'json';
  readonly value: T & Value;
}

/** A value with points, as the database wrote them: as JSON, or alone as lines. */
export interface PointsAnswer<T = Value> {
  readonly kind: 'points';
  readonly value: Omit<T, 'points'> & Value & { readonly points: Points };
}

/** A file, sent piece by piece. */
export interface FileAnswer {
  readonly kind: 'file';
  /** Without its ending. */
  readonly name: string;
  readonly pieces: AsyncIterable<FilePiece>;
}

/** Events, sent for as long as the caller listens. */
export interface StreamAnswer {
  readonly kind: 'stream';
  readonly stream: LiveStream;
}

/** @typeParam T what the answer is as JSON */
export interface Answers<T = Value> {
  readonly json: JsonAnswer<T>;
  readonly points: PointsAnswer<T>;
  readonly file: FileAnswer;
  readonly stream: StreamAnswer;
}
export type Kind = keyof Answers;
export type Answer = Answers[Kind];

/** The answers that are whole when they are sent, and that callers with the same question share. */
export type WholeAnswer = JsonAnswer | PointsAnswer;
