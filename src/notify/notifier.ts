// Watches the stations of a service and sends what they report to receivers: a client of the service, wherever it runs.
import pLimit from 'p-limit';
import type { AudioMetricsClient } from '../client/index.ts';
import { BANDS } from '../contract/bands.ts';
import type { Message } from '../contract/messages.ts';
import { scaleOf } from '../contract/shown-scale.ts';
import type { StationNow, StationOverview } from '../contract/stations.ts';
import { startLoop } from '../loop.ts';
import { startDelivery } from './deliver.ts';
import { openOutbox } from './outbox.ts';
import type { Receiver, StationShown } from './receiver.ts';
import type { Facts } from './sentences.ts';
import { createStationWatch, type StationWatch, type WatchRule } from './station-watch.ts';

export interface NotifierOptions {
  /** @returns the client of the service of a station; of all at the root */
  readonly clientOf: (path: string) => AudioMetricsClient;
  /** One station alone; all that the caller may ask by default. */
  readonly station?: string | undefined;
  readonly rule: WatchRule;
  /** By their keys in the outbox. */
  readonly receivers: ReadonlyMap<string, Receiver>;
  /** Adds title, text and link. */
  readonly wordsOf: (facts: Facts, station: StationOverview) => Message;
  /** @returns the page of a station */
  readonly pageOf: (path: string) => string;
  readonly showEverySeconds: number;
  /** Where the outbox is kept. */
  readonly folder: string;
  /** Receives what ends the work: the service refuses for good. */
  readonly onError: (error: Error) => void;
  /** Shows a line to the operator: of a fault, and that of a message. */
  readonly say: (line: string) => void;
  readonly note: (line: string) => void;
}

const AT_A_TIME = 4;
const LIST_MS = 60_000;
const LIST_AGAIN_MS = 5000;
const TICK_MS = 1000;

/** @returns what stops it, and settles when all is closed */
export function startNotifier(options: NotifierOptions): () => Promise<void> {
  const { clientOf, rule, receivers, wordsOf, pageOf, say } = options;
  const outbox = openOutbox(options.folder, [...receivers.keys()]);
  const deliveries = [...receivers].map(([key, receiver]) => startDelivery(receiver, key, outbox, say));
  const levels = rule.levels ?? 'absolute';
  const all = clientOf('/');
  const inTurn = pLimit(AT_A_TIME);
  const rows = new Map<string, StationNow>();
  const stations = new Map<string, { overview: StationOverview; watch: StationWatch }>();
  const working = new Set<Promise<void>>();
  let isListed = false;

  function watchOf(overview: StationOverview): StationWatch {
    const { name, path } = overview;
    return createStationWatch({
      name,
      client: clientOf(path),
      rule,
      outbox: {
        ...outbox,
        keep(...kept) {
          outbox.keep(...kept);
          for (const delivery of deliveries) delivery.wake();
        },
      },
      wordsOf: (facts) => wordsOf(facts, stations.get(name)?.overview ?? overview),
      inTurn,
      say,
      note: options.note,
    });
  }

  const list = startLoop(
    async () => {
      const { stations: found } = await all.stations.list.query({ levels });
      const chosen = found.filter(({ name }) => options.station === undefined || name === options.station);
      for (const overview of chosen) {
        const watch = stations.get(overview.name)?.watch ?? watchOf(overview);
        stations.set(overview.name, { overview, watch });
        work(watch.seeNight(overview).catch(() => {})); // it is looked at again
      }
      for (const name of stations.keys())
        if (chosen.every((overview) => overview.name !== name)) stations.delete(name);
      isListed = true;
      show();
      return LIST_MS;
    },
    () => LIST_AGAIN_MS,
  );

  function work(promise: Promise<void>): void {
    const done = promise.finally(() => working.delete(done));
    working.add(done);
  }

  function see(row: StationNow): void {
    const watch = stations.get(row.name)?.watch;
    if (!watch) return;
    const { hasEvent } = watch;
    work(watch.see(row).then(() => (watch.hasEvent === hasEvent ? undefined : show())));
  }

  function show(): void {
    if (!isListed) return; // else all stations would seem to be gone
    const shown = [...stations.values()].map(({ overview, watch }) =>
      shownOf(overview, rows.get(overview.name), watch, pageOf),
    );
    for (const receiver of receivers.values()) receiver.show?.(shown);
  }

  const following = all.stations.live.subscribe(
    { levels },
    {
      onData({ data }) {
        for (const row of data.stations) {
          rows.set(row.name, row);
          if (options.station === undefined && !stations.has(row.name)) list.wake();
          see(row);
        }
      },
      // what was shown before is not known any more: the first event has all
      onConnectionStateChange: ({ state }) => state === 'connecting' && rows.clear(),
      onError: options.onError,
    },
  );
  const ticking = setInterval(() => {
    for (const row of rows.values()) see(row); // a silent station sends nothing
  }, TICK_MS);
  const showing = setInterval(show, options.showEverySeconds * 1000);
  return async () => {
    following.unsubscribe();
    clearInterval(ticking);
    clearInterval(showing);
    await list.stop();
    await Promise.all(working);
    await Promise.all(deliveries.map((delivery) => delivery.stop()));
    await Promise.all([...receivers.values()].map((receiver) => receiver.close()));
    outbox.close();
  };
}

/** What the service tells of a station at the start, and while it is away. */
const UNKNOWN = {
  state: 'unavailable',
  time: null,
  level_db: null,
  frequency_hz: null,
  scale: null,
} as const;

/** @param row what the service told last; undefined while it is away */
function shownOf(
  { name, place_name, path, leq_1h_db, night, scale: before }: StationOverview,
  row: StationNow | undefined,
  watch: StationWatch,
  pageOf: (path: string) => string,
): StationShown {
  const { state, time, level_db, frequency_hz, scale } = row ?? UNKNOWN;
  const { unit, offset } = scaleOf(scale ?? before ?? undefined, null);
  const onScale = (level: number | null | undefined) => (level == null ? null : level + offset);
  const band = BANDS.find(({ to_hz }) => frequency_hz !== null && frequency_hz < to_hz);
  return {
    name,
    place_name,
    link: pageOf(path),
    state,
    time,
    unit,
    level_db: onScale(level_db),
    leq_1h_db: scale && onScale(leq_1h_db),
    band_hz: band?.nominal_hz ?? null,
    night_leq_db: scale && onScale(night?.leq_db),
    night_state: night?.state ?? null,
    noise_event: row !== undefined && watch.hasEvent,
    recorder_problem: watch.isSilent,
  };
}
