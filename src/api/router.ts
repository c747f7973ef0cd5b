// Every operation of the service, by group and name. Both transports and the document derive from this router.
import { latest } from './audio-latest.ts';
import { live } from './audio-live.ts';
import { range } from './audio-range.ts';
import { list } from './events-list.ts';
import { loud } from './events-loud.ts';
import { series as eventSeries } from './events-series.ts';
import { top } from './events-top.ts';
import { csv } from './export-csv.ts';
import * as health from './health.ts';
import { info } from './service-info.ts';
import * as stations from './stations.ts';
import { days } from './stats-days.ts';
import { distribution } from './stats-distribution.ts';
import { frequencies } from './stats-frequencies.ts';
import { limits } from './stats-limits.ts';
import { quality } from './stats-quality.ts';
import { series } from './stats-series.ts';
import { summary } from './stats-summary.ts';
import { worst } from './stats-worst.ts';
import { router } from './trpc.ts';

export const appRouter = router({
  audio: { latest, range, live },
  stats: { summary, series, distribution, frequencies, days, limits, quality, worst },
  events: { list, series: eventSeries, top, loud },
  export: { csv },
  stations: { list: stations.list, live: stations.live },
  service: { info },
  health: { ...health },
});
export type AppRouter = typeof appRouter;
