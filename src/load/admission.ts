// Admission: the queues of the service. They keep heavy work from taking all capacity from light queries.
import { availableParallelism } from 'node:os';
import { FairQueue } from './fair-queue.ts';
import type { SlowReaderOptions } from './slow-readers.ts';

/** Leaves one processor to light queries. Assumes that the machine of the database has as many as this one. */
const DEFAULT_HEAVY_SLOTS = Math.min(Math.max(availableParallelism() - 1, 1), 4);

export interface AdmissionOptions {
  readonly poolSize?: number;
  /** The most heavy queries at a time: large pages, charts, and statistics of long intervals. */
  readonly heavySlots?: number;
  readonly exportSlots?: number;
  readonly exportsPerCaller?: number;
  readonly slowReaders?: SlowReaderOptions;
  readonly openPerCaller?: number;
  readonly maxStreams?: number;
  readonly streamsPerCaller?: number;
  /** The most waiting requests of each kind, and their longest wait in milliseconds. */
  readonly maxWaiting?: number;
  readonly maxWaitMs?: number;
}

export type Admission = ReturnType<typeof createAdmission>;

export function createAdmission(options: AdmissionOptions) {
  const { poolSize = 10, heavySlots = DEFAULT_HEAVY_SLOTS, slowReaders = {}, openPerCaller = 200 } = options;
  const { exportSlots = 4, exportsPerCaller = 2, maxStreams = 1000, streamsPerCaller = 100 } = options;
  const { maxWaiting = 100, maxWaitMs = 40_000 } = options;
  const waiting = { maxWaiting, maxWaitMs };
  const noWaiting = { maxWaiting: 0, maxWaitMs };
  const slots = Math.max(poolSize - heavySlots - 1, 1); // one connection polls for new points
  return {
    // light queries take milliseconds each, so many more may wait
    light: new FairQueue({ ...waiting, slots, maxWaiting: 10 * maxWaiting }),
    heavy: new FairQueue({ slots: heavySlots, ...waiting }),
    exports: new FairQueue({ slots: exportSlots, slotsPerCaller: exportsPerCaller, ...waiting }),
    streams: new FairQueue({ slots: maxStreams, slotsPerCaller: streamsPerCaller, ...noWaiting }),
    /** Counts calls from request to end of response, to bound the memory of answers to slow readers. */
    open: new FairQueue({ slots: Infinity, slotsPerCaller: openPerCaller, ...noWaiting }),
    slowReaders,
  };
}
