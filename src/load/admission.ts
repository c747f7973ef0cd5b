// Admission: the queues of the service. They keep heavy work from taking all capacity from light queries.
import { availableParallelism } from 'node:os';
import { FairQueue } from './fair-queue.ts';

/** Leaves one processor to light queries. Assumes that the machine of the database has as many as this one. */
const DEFAULT_HEAVY_SLOTS = Math.min(Math.max(availableParallelism() - 1, 1), 4);

/** All exports share a bound on bytes a second, so more of them at a time would only make each slower. */
export const EXPORT_SLOTS = 4;
/** Leaves as many slots to all other callers. */
const EXPORTS_PER_CALLER = 2;
/** A caller may be a proxy in front of many listeners, but ten such callers must find room. */
const STREAMS_PER_CALLER = 100;
/** Bounds memory, and the wait of the last in the queue. */
const MAX_WAITING = 100;
/** Ends before the 60 s after which most proxies give up. */
const MAX_WAIT_MS = 40_000;

export interface SlowReaderOptions {
  /** A reader below this rate, in bytes per second, is slow. */
  readonly minReadRate?: number;
  /** How long a reader may be slow, and how often it is checked, in milliseconds. Default 30 s and 1 s. */
  readonly patienceMs?: number;
  readonly lookEveryMs?: number;
}

export interface AdmissionOptions {
  readonly poolSize?: number;
  /** The most heavy queries at a time: large pages, charts, and statistics of long intervals. */
  readonly heavySlots?: number;
  readonly exportSlots?: number;
  readonly exportsPerCaller?: number;
  readonly slowReaders?: SlowReaderOptions;
  readonly openPerCaller?: number;
  /** The memory budget for the answers under way, in bytes: a quarter is kept for callers with small answers. */
  readonly answerBytes?: number;
  readonly maxStreams?: number;
  readonly streamsPerCaller?: number;
  /** The most waiting requests of each kind, and their longest wait in milliseconds. */
  readonly maxWaiting?: number;
  readonly maxWaitMs?: number;
}

/** So that the embedded database and the answers fit a container of 640 MB. */
const ANSWER_BYTES = 64 * 1024 * 1024;

export type Admission = ReturnType<typeof createAdmission>;

export function createAdmission(options: AdmissionOptions) {
  const { poolSize = 10, heavySlots = DEFAULT_HEAVY_SLOTS, slowReaders = {}, openPerCaller = 200 } = options;
  const { exportSlots = EXPORT_SLOTS, exportsPerCaller = EXPORTS_PER_CALLER } = options;
  const { maxStreams = 1000, streamsPerCaller = STREAMS_PER_CALLER } = options;
  const { maxWaiting = MAX_WAITING, maxWaitMs = MAX_WAIT_MS } = options;
  const { answerBytes = ANSWER_BYTES } = options;
  const waiting = { maxWaiting, maxWaitMs };
  const noWaiting = { maxWaiting: 0, maxWaitMs };
  const slots = Math.max(poolSize - heavySlots - 1, 1); // one connection polls for new points
  return {
    // light queries take milliseconds each, so many more may wait
    light: new FairQueue({ ...waiting, slots, maxWaiting: 10 * maxWaiting }),
    heavy: new FairQueue({ slots: heavySlots, ...waiting }),
    exports: new FairQueue({ slots: exportSlots, slotsPerCaller: exportsPerCaller, ...waiting }),
    streams: new FairQueue({ slots: maxStreams, slotsPerCaller: streamsPerCaller, ...noWaiting }),
    /** Bytes of answers, from the call to the last byte sent. One caller may hold half of them. */
    bytes: new FairQueue({
      slots: 0.75 * answerBytes,
      slotsPerCaller: 0.5 * answerBytes,
      reserve: 0.25 * answerBytes,
      reservePerCaller: answerBytes / 256,
      ...waiting,
    }),
    /** Counts calls from request to end of response. */
    open: new FairQueue({ slots: Infinity, slotsPerCaller: openPerCaller, ...noWaiting }),
    slowReaders,
  };
}
