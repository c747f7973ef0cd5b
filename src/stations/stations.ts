// The stations of a service: each opens at its first request, and closes when it is removed or unused for long. The
// database holds the only list of them, so adding or removing one needs no restart.

import type { RecorderState } from '../contract/service.ts';
import { isStationName, stationPath } from '../contract/station.ts';
import type { Database } from '../db/database.ts';
import { inSchema } from '../db/in-schema.ts';
import { type ListedStation, listStations } from '../db/station-schemas.ts';
import { AppError } from '../errors.ts';
import { Live } from '../live/live.ts';
import type { TailOptions } from '../live/tail.ts';
import { createHistogramCache } from '../store/histogram-cache.ts';
import { createRollups } from '../store/store.ts';
import { readSite, type Station, siteOf } from './station.ts';

export interface StationsOptions extends Omit<TailOptions, 'store'> {
  /** The database of all stations. */
  readonly db: Database;
  readonly standard: Station;
  /** @returns the recorder that the service runs for a station, if any */
  readonly recorderOf?: ((name: string) => RecorderState | null) | undefined;
}

/** How long a list of the stations stays valid, in milliseconds. */
const LISTED_MS = 1000;
/** How long the settings of a station stay valid, in milliseconds. */
const SETTINGS_MS = 4000;
const IDLE_MS = 600_000;

interface Opened {
  readonly id: number;
  readonly station: Station;
  usedAt: number;
  readAt: number;
}

export const unknown = (name: string) =>
  new AppError(
    'NOT_FOUND',
    name === '' ? 'There is nothing at this path; see /docs' : `There is no station ${name}`,
  );

export class Stations {
  readonly #options: StationsOptions;
  readonly #opened = new Map<string, Promise<Opened>>();
  readonly #histograms;
  readonly #sweeping: NodeJS.Timeout;
  #list: Promise<readonly ListedStation[]> = Promise.resolve([]);
  #listedAt = Number.NEGATIVE_INFINITY;

  constructor(options: StationsOptions) {
    this.#options = options;
    this.#histograms = options.standard.rollups.histograms;
    this.#sweeping = setInterval(() => this.#closeIdle(), IDLE_MS / 10).unref();
  }

  get standard(): Station {
    return this.#options.standard;
  }

  /** The names of all stations, the default one first. */
  async names(): Promise<readonly string[]> {
    return [this.standard.name, ...(await this.#listed()).map(({ name }) => name)];
  }

  /**
   * @param why `to list` neither keeps the station open nor rereads its settings, because the list rereads them
   * @throws AppError NOT_FOUND if no station has that name; SERVICE_UNAVAILABLE if the database is away or not migrated
   */
  async open(name: string, why: 'to answer' | 'to list' = 'to answer'): Promise<Station> {
    if (name === this.standard.name) return this.standard;
    if (!isStationName(name)) throw unknown(name);
    const known = await this.#opened.get(name);
    if (known) {
      void this.#listed().catch(() => {}); // closes removed stations; if the database is away, the station reports it
      if (why === 'to answer') {
        known.usedAt = performance.now();
        void this.#readAgain(known);
      }
      return known.station;
    }
    const found = (await this.#listed()).find((listed) => listed.name === name);
    if (!found) throw unknown(name);
    const opening = this.#opened.get(name) ?? this.#openOne(found);
    this.#opened.set(name, opening);
    opening.catch(() => this.#opened.delete(name));
    return (await opening).station;
  }

  stop(): void {
    clearInterval(this.#sweeping);
    for (const name of this.#opened.keys()) this.#close(name);
  }

  async #openOne({ name, id }: ListedStation): Promise<Opened> {
    const { db: whole, standard: _, recorderOf, ...options } = this.#options;
    const missing = () => {
      this.#close(name);
      return unknown(name);
    };
    const db = inSchema(whole, name, missing);
    const site = await readSite(db, name);
    if (!site) throw unknown(name);
    const rollups = createRollups(
      db,
      options.log,
      createHistogramCache(this.#histograms.kept, `${name} ${id}`),
    );
    const live = new Live({ store: { db, rollups }, ...options });
    const recorder = () => recorderOf?.(name) ?? null;
    const renew: Station['renew'] = (settings) => {
      station.site = siteOf(settings);
    };
    const station: Station = { name, path: stationPath(name), db, rollups, site, renew, recorder, live };
    const now = performance.now();
    return { id, station, usedAt: now, readAt: now };
  }

  async #readAgain(opened: Opened): Promise<void> {
    const now = performance.now();
    if (now - opened.readAt < SETTINGS_MS) return;
    opened.readAt = now;
    const { station } = opened;
    station.site = (await readSite(station.db, station.name).catch(() => undefined)) ?? station.site;
  }

  /** Reads the list again if it has expired, and closes removed stations. */
  #listed(): Promise<readonly ListedStation[]> {
    if (performance.now() - this.#listedAt < LISTED_MS) return this.#list;
    this.#listedAt = performance.now();
    this.#list = listStations(this.#options.db);
    this.#list.then(
      (list) => this.#closeGone(list),
      () => {
        this.#listedAt = Number.NEGATIVE_INFINITY;
      },
    );
    return this.#list;
  }

  async #closeGone(list: readonly ListedStation[]): Promise<void> {
    for (const [name, opening] of this.#opened) {
      const opened = await opening.catch(() => undefined);
      if (opened && !list.some((listed) => listed.name === name && listed.id === opened.id))
        this.#close(name);
    }
  }

  async #closeIdle(): Promise<void> {
    for (const [name, opening] of this.#opened) {
      const opened = await opening.catch(() => undefined);
      if (opened && opened.station.live.streams === 0 && performance.now() - opened.usedAt > IDLE_MS)
        this.#close(name);
    }
  }

  #close(name: string): void {
    void this.#opened.get(name)?.then(
      ({ station }) => station.live.stop(),
      () => {},
    );
    this.#opened.delete(name);
  }
}
