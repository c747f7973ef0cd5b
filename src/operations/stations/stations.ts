// The stations of a service: each opens at its first request, and closes when it is removed or unused for long. The
// database holds the only list of them, so adding or removing one needs no restart.
import { DEFAULT_STATION, isStationName, stationPath } from '../../contract/station.ts';
import type { Database } from '../../database/database.ts';
import { inSchema } from '../../database/in-schema.ts';
import { withinDeadline } from '../../database/ready-deadline.ts';
import { type ListedStation, listStations, type StationSettings } from '../../database/station-schemas.ts';
import { AppError } from '../../errors.ts';
import { createHistogramCache } from '../../rollups/histogram-cache.ts';
import { createRollups } from '../../rollups/store.ts';
import { Live } from '../audio/live/live.ts';
import type { TailOptions } from '../audio/live/tail.ts';
import type { RecorderState } from '../service/contract.ts';
import { NO_SETTINGS, readSettingsOf, type Station, siteOf } from './station.ts';

export interface StationsOptions extends Omit<TailOptions, 'store'> {
  readonly db: Database;
  readonly standard: Pick<Station, 'db' | 'rollups' | 'live'>;
  /** They win over those in the database, for the default station. */
  readonly settings?: Partial<StationSettings>;
  /** @returns the recorder that the service runs for a station, if any */
  readonly recorderOf?: ((name: string) => RecorderState | null) | undefined;
}

const LISTED_MS = 1000;
const SETTINGS_MS = 4000;
const IDLE_MS = 600_000;

interface Opened {
  /** The id of its schema; undefined for the default station. */
  readonly id?: number;
  readonly station: Station;
  usedAt: number;
  readAt: number;
  /** The latest read of its settings. */
  reading: Promise<void>;
  isRead: boolean;
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
  readonly #standard: Opened;
  readonly #sweeping: NodeJS.Timeout;
  #list: Promise<readonly ListedStation[]> = Promise.resolve([]);
  #listedAt = Number.NEGATIVE_INFINITY;
  /** The server of each station, which a move changes. */
  #servers: ReadonlyMap<string, string | undefined> = new Map();

  constructor(options: StationsOptions) {
    this.#options = options;
    this.#histograms = options.standard.rollups.histograms;
    this.#standard = this.#opening(DEFAULT_STATION, options.standard, options.settings);
    this.#sweeping = setInterval(() => this.#closeIdle(), IDLE_MS / 10).unref();
  }

  get standard(): Station {
    return this.#standard.station;
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
    if (name === DEFAULT_STATION) return this.#openStandard();
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
    const { db: whole, standard: _, settings: __, recorderOf: ___, ...options } = this.#options;
    const missing = () => {
      this.#close(name);
      return unknown(name);
    };
    const db = inSchema(whole, name, missing, () => this.#servers.get(name));
    const settings = await readSettingsOf(db, name);
    if (!settings) throw unknown(name);
    const rollups = createRollups(
      db,
      options.log,
      createHistogramCache(this.#histograms.kept, `${name} ${id}`),
    );
    const live = new Live({ store: { db, rollups }, ...options });
    const opened = this.#opening(name, { db, rollups, live });
    opened.station.renew(settings);
    return { ...opened, id, readAt: performance.now(), isRead: true };
  }

  /** The service starts even if the database is away, so the first request reads the settings. */
  async #openStandard(): Promise<Station> {
    const { station, isRead } = this.#standard;
    const reading = this.#readAgain(this.#standard);
    if (!isRead) await withinDeadline(reading).catch(() => {}); // the query itself reports that the database is away
    return station;
  }

  /** @param own settings that win over those in the database */
  #opening(name: string, parts: StationsOptions['standard'], own: Partial<StationSettings> = {}): Opened {
    const recorder = () => this.#options.recorderOf?.(name) ?? null;
    const renew = (settings: StationSettings) => {
      station.site = siteOf({ ...settings, ...own });
    };
    const site = siteOf({ ...NO_SETTINGS, ...own });
    const server = () => this.#servers.get(name);
    const station: Station = { name, path: stationPath(name), ...parts, site, renew, recorder, server };
    const reading = Promise.resolve();
    return { station, usedAt: performance.now(), readAt: Number.NEGATIVE_INFINITY, reading, isRead: false };
  }

  #readAgain(opened: Opened): Promise<void> {
    const now = performance.now();
    if (now - opened.readAt < SETTINGS_MS) return opened.reading;
    opened.readAt = now;
    opened.reading = this.#read(opened);
    return opened.reading;
  }

  async #read(opened: Opened): Promise<void> {
    const { station } = opened;
    try {
      const settings = await readSettingsOf(station.db, station.name);
      opened.isRead = true;
      if (settings) station.renew(settings);
    } catch {
      if (!opened.isRead) opened.readAt = Number.NEGATIVE_INFINITY;
    }
  }

  /** Reads the list again if it has expired, and closes removed stations. */
  #listed(): Promise<readonly ListedStation[]> {
    if (performance.now() - this.#listedAt < LISTED_MS) return this.#list;
    this.#listedAt = performance.now();
    this.#list = listStations(this.#options.db);
    this.#list.then(
      (list) => {
        this.#servers = new Map(list.map(({ name, server }) => [name, server]));
        void this.#closeGone(list);
      },
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
