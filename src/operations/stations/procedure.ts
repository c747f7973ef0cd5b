// stations.list and stations.live: the state of all stations.
import { eventsOf, holdStream } from '../event-streams.ts';
import { answered, documented, operation } from '../trpc.ts';
import {
  StationsEvent,
  StationsInput,
  StationsLiveInput,
  StationsLiveQuery,
  StationsOutput,
} from './contract.ts';

export const stationsList = operation(
  '/stations',
  'The state of all stations',
  'Each station that the caller may query: its current level, the last hour, day and night. The answer is the same at the path of every station, and up to three seconds old. Past hours and the night are read again after five to ten minutes, so late points may take that long to be included.',
)
  .input(StationsInput)
  .output(documented(StationsOutput))
  .use(
    answered(
      () => false,
      ({ stations }) => stations.opened ?? null,
    ),
  )
  .query(async ({ ctx, input }) => {
    const names = await ctx.stations.names();
    return { stations: await ctx.overview.list(names, input.levels) };
  });

export const stationsLive = operation(
  '/stations/live',
  'The level of all stations, as it changes',
  'Server-sent events, at most one per second. The first has all stations, and later events have the stations whose newest point or state has changed. The service ends a stream after about half an hour, on shutdown, or if the client reads too slowly. An EventSource reconnects by itself.',
  { stream: { query: StationsLiveQuery, event: StationsEvent } },
)
  .input(StationsLiveInput)
  .subscription(async ({ ctx, input }) => {
    const { admission, overview, stations } = ctx;
    const open = (ending: AbortSignal) => overview.open(stations.names, input.levels, ending);
    return eventsOf<StationsEvent>(ctx, await holdStream(ctx, admission.light, open));
  });
