// What an operation answers with: the database, the clock of the request, and what the service knows of itself.
import type { Limit } from '../contract/limits.ts';
import type { FileType, PageType } from '../contract/media-types.ts';
import type { RecorderState } from '../contract/service.ts';
import type { Live } from '../live/live.ts';
import type { Signal } from '../signal.ts';
import type { Store } from '../store/store.ts';

/** The place of the microphone. */
export interface Site {
  readonly name: string | null;
  /** An IANA time zone. */
  readonly timeZone: string;
  readonly limits: Limit[];
  /** The sound pressure level in dB that 0 dBFS stands for; null where that is not known. */
  readonly calibrationOffsetDb: number | null;
}

export interface Context extends Store {
  /** The clock of the request, read once. */
  readonly now: string;
  /**
   * Aborts when the connection of the response closes, after a whole answer too. Of a shared answer: when its last
   * caller has left, or it takes too long.
   */
  readonly signal: Signal;
  /** What a page of points is sent as: the database writes it. */
  readonly pageType: PageType;
  /** The same of a file. */
  readonly fileType: FileType;
  readonly version: string;
  readonly site: Site;
  /** The recorder that the service runs, now; null where there is none. */
  readonly recorder: () => RecorderState | null;
  readonly live: Pick<Live, 'open' | 'canResume'>;
  readonly isStopping: boolean;
}
