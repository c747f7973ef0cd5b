// The event streams: REST parameters and event data of each.
import type { z } from 'zod';
import { LiveEvent, LiveQuery } from '../operations/audio/live/contract.ts';
import { StationsEvent, StationsLiveQuery } from '../operations/stations/contract.ts';

interface EventsOf {
  readonly query: z.ZodObject;
  readonly event: z.ZodType;
}

/** @param operation such as `audio.live` */
export const streamOf = (operation: string): EventsOf =>
  operation === 'stations.live'
    ? { query: StationsLiveQuery, event: StationsEvent }
    : { query: LiveQuery, event: LiveEvent };
