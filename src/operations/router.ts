// Every operation of the service, by group and name. Both transports and the document derive from this router.
import { audioLatest } from './audio/latest/procedure.ts';
import { audioLive } from './audio/live/procedure.ts';
import { audioRange } from './audio/range/procedure.ts';
import { eventsList } from './events/list/procedure.ts';
import { eventsLoud } from './events/loud/procedure.ts';
import { eventsSeries } from './events/series/procedure.ts';
import { eventsTop } from './events/top/procedure.ts';
import { exportCsv } from './export/procedure.ts';
import { healthLive, healthReady } from './health/procedure.ts';
import { serviceInfo } from './service/procedure.ts';
import { stationsList, stationsLive } from './stations/procedure.ts';
import { statsDays } from './stats/days/procedure.ts';
import { statsDistribution } from './stats/distribution/procedure.ts';
import { statsFrequencies } from './stats/frequencies/procedure.ts';
import { statsLimits } from './stats/limits/procedure.ts';
import { statsQuality } from './stats/quality/procedure.ts';
import { statsSeries } from './stats/series/procedure.ts';
import { statsSummary } from './stats/summary/procedure.ts';
import { statsWhy } from './stats/why/procedure.ts';
import { router } from './trpc.ts';

const operations = {
  audio: { latest: audioLatest, range: audioRange, live: audioLive },
  stats: {
    summary: statsSummary,
    series: statsSeries,
    distribution: statsDistribution,
    frequencies: statsFrequencies,
    days: statsDays,
    limits: statsLimits,
    quality: statsQuality,
    why: statsWhy,
  },
  events: { list: eventsList, series: eventsSeries, top: eventsTop, loud: eventsLoud },
  export: { csv: exportCsv },
  stations: { list: stationsList, live: stationsLive },
  service: { info: serviceInfo },
  health: { live: healthLive, ready: healthReady },
};

/** What each group is about: the tags of the document, in its order. */
export const GROUPS: Record<keyof typeof operations, string> = {
  audio: 'Points: the measured windows',
  stats: 'Statistics of many points',
  events: 'Noise events, and points above a level',
  export: 'Points as files',
  stations: 'All microphones at once',
  service: 'The service itself',
  health: 'For probes',
};

export const appRouter = router(operations);
export type AppRouter = typeof appRouter;
