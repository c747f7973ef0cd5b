// Every operation of the service, by group and name. All transports and the document serve these and nothing else.
import { latest } from './audio-latest.ts';
import { live } from './audio-live.ts';
import { range } from './audio-range.ts';
import { list } from './events-list.ts';
import { loud } from './events-loud.ts';
import { series as eventSeries } from './events-series.ts';
import { top } from './events-top.ts';
import { csv } from './export-csv.ts';
import * as health from './health.ts';
import type { Operation } from './operation.ts';
import { info } from './service-info.ts';
import { days } from './stats-days.ts';
import { distribution } from './stats-distribution.ts';
import { frequencies } from './stats-frequencies.ts';
import { limits } from './stats-limits.ts';
import { quality } from './stats-quality.ts';
import { series } from './stats-series.ts';
import { summary } from './stats-summary.ts';
import { router } from './trpc.ts';

const groups = {
  audio: { latest, range, live },
  stats: { summary, series, distribution, frequencies, days, limits, quality },
  events: { list, series: eventSeries, top, loud },
  export: { csv },
  service: { info },
  health: { ...health },
};

export const appRouter = router(groups);
export type AppRouter = typeof appRouter;

/** By name, such as `audio.range`, in the order of the document. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.values(groups).flatMap((group) =>
    Object.values(group).map(({ operation }) => [operation.name, operation] as const),
  ),
);
