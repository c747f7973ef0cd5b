// Admission: what waits for what, so that much work for some leaves enough for the short questions of all.
import { availableParallelism } from 'node:os';
import { FairQueue } from './fair-queue.ts';
import type { SlowReaderOptions } from './slow-readers.ts';

/** One processor is left to light questions. Assumes that the database machine has as many cores. */
const DEFAULT_HEAVY_SLOTS = Math.min(Math.max(availableParallelism() - 1, 1), 4);

/** Light questions take milliseconds each, so many more of them may wait. */
const LIGHT_WAITING_TIMES = 10;

export interface AdmissionOptions {
  /** Connections to the database. Some are always left to other callers. */
  readonly poolSize?: number;
  /** How many heavy questions are answered at a time: large pages, charts, statistics of an hour and longer. */
  readonly heavySlots?: number;
  readonly exportSlots?: number;
  readonly exportsPerCaller?: number;
  /** Whose exports are broken off while others wait for a slot. */
  readonly slowReaders?: SlowReaderOptions;
  /** Calls of one caller that are open, from the request to the end of its response. Default 300. */
  readonly openPerCaller?: number;
  readonly maxStreams?: number;
  readonly streamsPerCaller?: number;
  /** How many of each kind may wait. */
  readonly maxWaiting?: number;
  /** How long they may wait, in milliseconds. */
  readonly maxWaitMs?: number;
}

export type Admission = ReturnType<typeof createAdmission>;

export function createAdmission(options: AdmissionOptions) {
  const { poolSize = 10, heavySlots = DEFAULT_HEAVY_SLOTS, slowReaders = {} } = options;
  const { exportSlots = 4, exportsPerCaller = 2, maxStreams = 1000, streamsPerCaller = 100 } = options;
  const { openPerCaller = 300, maxWaiting = 100, maxWaitMs = 40_000 } = options;
  const lightSlots = Math.max(poolSize - heavySlots - 1, 1); // one connection looks for new points
  return {
    light: new FairQueue({
      slots: lightSlots,
      slotsPerCaller: Math.ceil(lightSlots / 2),
      maxWaiting: maxWaiting * LIGHT_WAITING_TIMES,
      maxWaitMs,
    }),
    heavy: new FairQueue({ slots: heavySlots, maxWaiting, maxWaitMs }),
    exports: new FairQueue({ slots: exportSlots, slotsPerCaller: exportsPerCaller, maxWaiting, maxWaitMs }),
    /** Bounds the memory of pages that wait for their readers. What is over it is refused. */
    open: new FairQueue({ slots: Infinity, slotsPerCaller: openPerCaller, maxWaiting: 0, maxWaitMs }),
    /** Streams do not wait. */
    streams: new FairQueue({
      slots: maxStreams,
      slotsPerCaller: streamsPerCaller,
      maxWaiting: 0,
      maxWaitMs,
    }),
    slowReaders,
  };
}
