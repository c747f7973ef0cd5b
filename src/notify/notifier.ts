// Watches the stations of a service, and sends messages about them to receivers. It is a client of the service, in its
// process or on any machine.
import pLimit from 'p-limit';
import type { AudioMetricsClient } from '../client/index.ts';
import { isLoopback } from '../commands/loopback.ts';
import { messageOf } from '../commands/progress.ts';
import { bandOf } from '../contract/bands.ts';
import { FIRST_INSTANT, parseInstant } from '../contract/instant.ts';
import type { Message } from '../contract/messages.ts';
import { offsetScaleOf } from '../contract/shown-scale.ts';
import { DEFAULT_STATION } from '../contract/station.ts';
import { startLoop } from '../loop.ts';
import type { StationNow, StationOverview } from '../operations/stations/contract.ts';
import { startDelivery } from './deliver.ts';
import type { NotifyOptions } from './notify-options.ts';
import { openReceiver, receiverKey } from './open-receiver.ts';
import { openOutbox } from './outbox.ts';
import type { Receiver, ReceiverIo, StationShown } from './receiver.ts';
import { createSentences, type Facts, linkTo } from './sentences.ts';
import { createStationWatch, type StationWatch } from './station-watch.ts';

export interface NotifyIo extends ReceiverIo {
  readonly folder: string;
  /** The current time, canonical. */
  now(): string;
  /** Shows the line of a message to the operator. */
  note(line: string): void;
}

const AT_A_TIME = 4;
const LIST_MS = 60_000;
const LIST_AGAIN_MS = 5000;
const TICK_MS = 1000;

interface Reported {
  readonly row: StationNow;
  /** The age of the reported newest point, by the service's clock, in milliseconds. */
  readonly age: number;
  readonly at: number;
}

/**
 * @param clientOf creates a client of a station
 * @param page the address of the service, for links
 * @param onError receives the error that ends the work: the service refuses for good
 * @returns a function that stops the notifier, and resolves when everything is closed
 */
export async function startNotifier(
  clientOf: (station: string) => AudioMetricsClient,
  page: string,
  options: NotifyOptions,
  io: NotifyIo,
  onError: (error: Error) => void,
): Promise<() => Promise<void>> {
  const urls = options.notify.map((text) => new URL(text));
  const keys = urls.map(receiverKey);
  const outbox = openOutbox(io.folder, keys); // before anything connects, since it locks the folder
  const receivers: Receiver[] = [];
  try {
    for (const url of urls) receivers.push(await openReceiver(url, io));
  } catch (error) {
    outbox.close();
    throw error;
  }
  const { say } = io;
  if (isLoopback(new URL(page).hostname))
    say(`Links in messages lead to ${page}, which works only on this machine: --link sets another address`);
  const sentences = await createSentences(options.language);
  const deliveries = receivers.map((receiver, index) =>
    startDelivery(receiver, keys[index] ?? '', outbox, say),
  );
  const from = parseInstant(options.from, io.now()) ?? FIRST_INSTANT;
  const levels = options.levels ?? 'absolute';
  const all = clientOf(DEFAULT_STATION);
  const queue = pLimit(AT_A_TIME);
  const stopping = new AbortController();
  const { signal } = stopping;
  const reports = new Map<string, Reported>();
  const stations = new Map<string, { overview: StationOverview; watch: StationWatch }>();
  const working = new Set<Promise<void>>();
  let isListed = false;
  let isLost = false;

  function watchOf(overview: StationOverview): StationWatch {
    const { name } = overview;
    return createStationWatch({
      name,
      client: clientOf(name),
      options,
      from,
      outbox,
      wordsOf: (facts) => wordsOf(facts, stations.get(name)?.overview ?? overview),
      queue,
      signal,
      say,
      note(line) {
        for (const delivery of deliveries) delivery.wake();
        io.note(line);
      },
    });
  }

  function wordsOf(facts: Facts, { name, path, place_name, time_zone, limit_db }: StationOverview): Message {
    const site = { name: place_name ?? name, timeZone: time_zone ?? 'UTC', limit_db, now: Date.now() };
    const [start, end] = stretchOf(facts, io.now());
    return { ...facts, ...sentences.wordsOf(facts, site), link: linkTo(page, path, start, end) };
  }

  const list = startLoop(
    async () => {
      const { stations: found } = await all.stations.list.query({ levels }, { signal });
      const chosen = found.filter(({ name }) => options.station === undefined || name === options.station);
      if (chosen.length === 0) throw new Error('There is no such station');
      if (isLost) say('Can list the stations again');
      isLost = false;
      for (const overview of chosen) {
        const watch = stations.get(overview.name)?.watch ?? watchOf(overview);
        stations.set(overview.name, { overview, watch });
        work(watch.checkNight(overview));
      }
      for (const name of stations.keys())
        if (chosen.every((overview) => overview.name !== name)) {
          stations.delete(name);
          outbox.forget(name);
        }
      if (!isListed) {
        const names = chosen.map(({ name }) => name).join(', ');
        io.note(`Watching ${names} for ${receivers.map((receiver) => receiver.name).join(', ')}`);
      }
      isListed = true;
      show();
      return LIST_MS;
    },
    (error) => {
      if (!isLost)
        say(`Cannot list the stations; retrying every ${LIST_AGAIN_MS / 1000} s: ${messageOf(error)}`);
      isLost = true;
      return LIST_AGAIN_MS;
    },
  );

  function work(promise: Promise<void>): void {
    const done = promise.finally(() => working.delete(done));
    working.add(done);
  }

  function check({ row, age, at }: Reported): void {
    const watch = stations.get(row.name)?.watch;
    if (!watch) return;
    const { hasEvent } = watch;
    const checked = watch.check(row, age + performance.now() - at);
    work(checked.then(() => (watch.hasEvent === hasEvent ? undefined : show())));
  }

  function show(): void {
    if (!isListed) return; // before the first list, all stations would seem removed
    const shown = [...stations.values()].map(({ overview, watch }) =>
      shownOf(overview, reports.get(overview.name)?.row, watch, linkTo(page, overview.path)),
    );
    for (const receiver of receivers) receiver.show?.(shown);
  }

  const following = all.stations.live.subscribe(
    { levels },
    {
      onData({ id: now, data }) {
        for (const row of data.stations) {
          const age = row.time === null ? 0 : Date.parse(now) - Date.parse(row.time);
          const report = { row, age, at: performance.now() };
          reports.set(row.name, report);
          if (options.station === undefined && !stations.has(row.name)) list.wake();
          check(report);
        }
      },
      // earlier reports may be stale; the first event after connecting has all stations
      onConnectionStateChange: ({ state }) => state === 'connecting' && reports.clear(),
      onError,
    },
  );
  const ticking = setInterval(() => {
    for (const report of reports.values()) check(report); // silent stations send nothing
  }, TICK_MS);
  const showing = setInterval(show, options.mqttEvery);
  return async () => {
    stopping.abort();
    following.unsubscribe();
    clearInterval(ticking);
    clearInterval(showing);
    await list.stop();
    await Promise.all(working);
    await Promise.all(deliveries.map((delivery) => delivery.stop()));
    await Promise.all(receivers.map((receiver) => receiver.close?.()));
    outbox.close();
  };
}

function stretchOf(facts: Facts, now: string): [from: string, to: string] {
  if ('peak_db' in facts) return [facts.start, facts.end];
  return facts.kind === 'night' ? [facts.from, facts.to] : [facts.since, now];
}

/** @param row the last report; undefined before the first one, and while the service is away */
function shownOf(
  { name, place_name, leq_1h_db, night, scale: before }: StationOverview,
  row: StationNow | undefined,
  { hasEvent, isSilent }: StationWatch,
  link: string,
): StationShown {
  const { state = 'unavailable', time = null, scale = null } = row ?? {};
  const { unit, offset } = offsetScaleOf(scale ?? before ?? undefined, null);
  const onScale = (level: number | null | undefined) => (level == null ? null : level + offset);
  // the last hour and night may be on a different scale from the current level
  const isSame =
    scale && before && scale.levels === before.levels && unit === offsetScaleOf(before, null).unit;
  return {
    name,
    place_name,
    link,
    state,
    time,
    unit,
    level_db: onScale(row?.level_db),
    leq_1h_db: isSame ? onScale(leq_1h_db) : null,
    band_hz: bandOf(row?.frequency_hz ?? null),
    night_leq_db: isSame ? onScale(night?.leq_db) : null,
    night_state: night?.state ?? null,
    noise_event: row !== undefined && hasEvent && !isSilent,
    recorder_problem: isSilent || state === 'empty',
  };
}
