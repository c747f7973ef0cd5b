// Every operation of the service, by group and name. Both transports and the document derive from this router.
import { audioLatest } from './audio-latest.ts';
import { audioLive } from './audio-live.ts';
import { audioRange } from './audio-range.ts';
import { eventsList } from './events-list.ts';
import { eventsLoud } from './events-loud.ts';
import { eventsSeries } from './events-series.ts';
import { eventsTop } from './events-top.ts';
import { exportCsv } from './export-csv.ts';
import { healthLive, healthReady } from './health.ts';
import { serviceInfo } from './service-info.ts';
import { stationsList, stationsLive } from './stations.ts';
import { statsDays } from './stats-days.ts';
import { statsDistribution } from './stats-distribution.ts';
import { statsFrequencies } from './stats-frequencies.ts';
import { statsLimits } from './stats-limits.ts';
import { statsQuality } from './stats-quality.ts';
import { statsSeries } from './stats-series.ts';
import { statsSummary } from './stats-summary.ts';
import { statsWorst } from './stats-worst.ts';
import { router } from './trpc.ts';

export const appRouter = router({
  audio: { latest: audioLatest, range: audioRange, live: audioLive },
  stats: {
    summary: statsSummary,
    series: statsSeries,
    distribution: statsDistribution,
    frequencies: statsFrequencies,
    days: statsDays,
    limits: statsLimits,
    quality: statsQuality,
    worst: statsWorst,
  },
  events: { list: eventsList, series: eventsSeries, top: eventsTop, loud: eventsLoud },
  export: { csv: exportCsv },
  stations: { list: stationsList, live: stationsLive },
  service: { info: serviceInfo },
  health: { live: healthLive, ready: healthReady },
});
export type AppRouter = typeof appRouter;
