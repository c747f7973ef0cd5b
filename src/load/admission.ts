// Admission: what waits for what, so that much work for some leaves enough for the short questions of all.
import { availableParallelism } from 'node:os';
import { isBusy, onIdle } from './event-loop-queue.ts';
import { FairQueue } from './fair-queue.ts';
import { HeldBytes } from './held-bytes.ts';
import { SlowReaders, type SlowReadersOptions } from './slow-readers.ts';

/** One processor is left to light questions. Assumes that the database machine has as many cores. */
const DEFAULT_HEAVY_SLOTS = Math.min(Math.max(availableParallelism() - 1, 1), 4);

/** Light questions take milliseconds each, so many more of them may wait. */
const LIGHT_WAITING_TIMES = 10;

export interface AdmissionOptions extends SlowReadersOptions {
  /** Connections to the database. Some are always left to other callers. */
  readonly poolSize?: number;
  /** With so many unread bytes no further heavy question begins. Default 256 MiB. */
  readonly maxUnreadBytes?: number;
  /** With so many bytes in batches that wait for other answers, the oldest request goes first. Default 32 MiB. */
  readonly maxHalfAnsweredBytes?: number;
  /** How many heavy questions are answered at a time: large pages, charts, statistics of an hour and longer. */
  readonly heavySlots?: number;
  readonly exportSlots?: number;
  readonly exportsPerCaller?: number;
  readonly maxStreams?: number;
  readonly streamsPerCaller?: number;
  /** How many of each kind may wait. */
  readonly maxWaiting?: number;
  /** How long they may wait, in milliseconds. */
  readonly maxWaitMs?: number;
}

export type Admission = ReturnType<typeof createAdmission>;

export function createAdmission(options: AdmissionOptions) {
  const { poolSize = 10, heavySlots = DEFAULT_HEAVY_SLOTS } = options;
  const { maxWaiting = 100, maxWaitMs = 40_000 } = options;
  const { maxUnreadBytes = 268_435_456, maxHalfAnsweredBytes = 33_554_432 } = options;
  const admitHeavy = () => heavy.admit();
  const unread = new HeldBytes(admitHeavy);
  const halfAnswered = new HeldBytes(admitHeavy);
  const hasRoom = () => unread.bytes < maxUnreadBytes;
  const heavy = new FairQueue({
    slots: heavySlots,
    hasRoom: () => hasRoom() && !isBusy(),
    isOldestFirst: () => halfAnswered.bytes >= maxHalfAnsweredBytes,
    maxWaiting,
    maxWaitMs,
  });
  const lightSlots = Math.max(poolSize - heavySlots - 1, 1); // one connection looks for new points
  const light = new FairQueue({
    slots: lightSlots,
    slotsPerCaller: Math.ceil(lightSlots / 2),
    maxWaiting: maxWaiting * LIGHT_WAITING_TIMES,
    maxWaitMs,
  });
  const { exportSlots = 4, exportsPerCaller = 2, maxStreams = 1000, streamsPerCaller = 100 } = options;
  return {
    light,
    heavy,
    exports: new FairQueue({ slots: exportSlots, slotsPerCaller: exportsPerCaller, maxWaiting, maxWaitMs }),
    /** Streams do not wait. */
    streams: new FairQueue({
      slots: maxStreams,
      slotsPerCaller: streamsPerCaller,
      maxWaiting: 0,
      maxWaitMs: 0,
    }),
    slowReaders: new SlowReaders(options),
    /** Answers that wait for their readers. */
    unread,
    /** Answers that wait for others of their batch. */
    halfAnswered,
    /** Whether heavy questions wait because too many bytes are unread. */
    isShortOfRoom: () => heavy.waiting > 0 && !hasRoom(),
    close: onIdle(admitHeavy),
  };
}
