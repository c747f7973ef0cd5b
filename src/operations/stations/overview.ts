// Reads the state of all stations, for stations.list, stations.live and the metrics. Callers share the results,
// which expire after a while or with their station.
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { addSeconds, aheadOf, instantOf } from '../../contract/instant.ts';
import type { Levels } from '../../contract/periods.ts';
import { addLevels, offsetScaleOf } from '../../contract/shown-scale.ts';
import { MOST_LABELLED, stationPath } from '../../contract/station.ts';
import { AppError } from '../../errors.ts';
import { spacing } from '../../points/point-times.ts';
import type { Store } from '../../rollups/store.ts';
import type { Frame } from '../audio/live/frame.ts';
import { scaleOfAnswer } from '../periods.ts';
import type { StationNow, StationOverview, StationsEvent } from './contract.ts';
import { lastDay } from './last-day.ts';
import { newestLevel } from './newest-level.ts';
import { type Row, shownLevels, shownRow } from './shown-row.ts';
import type { Station } from './station.ts';
import { clockOf } from './station-clock.ts';
import { ageOf, stationState } from './station-state.ts';
import type { Stations } from './stations.ts';

const AT_A_TIME = 4;
/** The time limit of a statement in milliseconds. A station whose statement exceeds it is unavailable. */
const PATIENCE_MS = 5000;
/** How long results stay valid, in milliseconds. Past hours can change too, if points arrive late. */
const NEWEST_MS = 900;
const ROW_MS = 2400;
const FAILED_MS = 1000;
const settledMs = () => 300_000 * (1 + Math.random());
const EVERY_MS = 1000;

export type Overview = ReturnType<typeof createOverview>;

const NO_LEVELS = { level_db: null, frequency_hz: null, leq_1h_db: null, scale: null, ahead_until: null };
const NO_POINT = { time: null, level_db: null, max_10s_db: null, frequency_hz: null, scale: null };
const NO_LIMITS = { limits: null, calibration_offset_db: null, limit_db: null, night: null, hours: null };
const NO_PLACE = { place_name: null, time_zone: null, newest: null, newest_age_seconds: null };
const UNAVAILABLE = { state: 'unavailable' as const, ...NO_PLACE, ...NO_LEVELS, ...NO_LIMITS };

interface StationQuery {
  readonly station: Station;
  readonly store: Store;
  readonly now: string;
}

/** @param clock milliseconds since 1970 */
export function createOverview(stations: Pick<Stations, 'open'>, clock: () => number) {
  const limit = pLimit(AT_A_TIME);
  const stopping = new AbortController();
  const newest = remembered(
    () => NEWEST_MS,
    (query, before?: Awaited<ReturnType<typeof newestLevel>>) =>
      readNewest(query, before?.newest?.time, [query.now, query.now]),
  );
  const usual = remembered(
    (seconds: number | null) => (seconds === null ? ROW_MS : settledMs()),
    ({ store, now }) => spacing(store, null, now),
  );
  const settled = remembered(settledMs, ({ store, ...rest }) =>
    lastDay({ ...store, exclusions: 'apply' }, dayOf(rest)),
  );
  const rowOf = remembered(() => ROW_MS, readRow);

  /** Reads each station, a few at a time. Skips stations that are incomplete or were just removed. */
  async function ofEach<Value>(
    names: readonly string[],
    read: (query: StationQuery) => Promise<Value>,
    failed: (name: string) => Value,
  ) {
    const each = async (name: string) => {
      try {
        const station = await stations.open(name, 'to list').catch(unlessNone);
        return station && (await read(queryOf(station, instantOf(clock()))));
      } catch {
        return failed(name);
      }
    };
    const found = await Promise.all(names.map((name) => limit(each, name)));
    return found.filter((value) => value !== undefined);
  }

  async function readRow(query: StationQuery, before?: Row): Promise<Row> {
    const { station, store, now } = query;
    const hour = later(now, -3600);
    const running = clockOf(station.site, now).hours.at(-1) ?? now;
    const found = await readNewest(query, before?.row.newest, [hour, running]);
    const { name, path, site } = station;
    const { hours, night, ...offsets } = await settled(
      query,
      JSON.stringify([dayOf(query), store.rollups.annotations.known().version]),
    );
    const { time = null, level_db = null, frequency_hz = null } = found.newest ?? {};
    const interval = { from: time !== null && time < hour ? time : hour, to: aheadOf(now) };
    const row: StationOverview = {
      name,
      path,
      place_name: site.name,
      time_zone: site.timeZone,
      state: await stationState(station, time, now, () => usual(query)),
      newest: time,
      newest_age_seconds: time === null ? null : ageOf(time, now),
      ahead_until: found.ahead_until,
      level_db,
      frequency_hz,
      leq_1h_db: found.leq[0],
      scale: await scaleOfAnswer(store, interval),
      limits: site.limits,
      calibration_offset_db: site.calibrationOffsetDb,
      limit_db: clockOf(site, now).limit_db,
      night,
      hours: [...hours, found.leq[1]],
    };
    return { row, ...offsets };
  }

  async function nowOf(query: StationQuery, levels: Levels): Promise<StationNow> {
    const { station, store, now } = query;
    const { newest: point, max_10s_db, ahead_until } = await newest(query);
    const { name } = station;
    const time = point?.time ?? null;
    const state = await stationState(station, time, now, () => usual(query));
    if (!point) return { ...NO_POINT, name, state, ahead_until };
    const { frequency_hz } = point;
    const stored = await scaleOfAnswer(store, { from: point.time, to: aheadOf(now) });
    const levelsNow = { level_db: point.level_db, max_10s_db };
    const shown = shownLevels(levelsNow, stored, station.site.calibrationOffsetDb, levels);
    return { name, time, ahead_until, ...shown, frequency_hz, state };
  }

  async function levelOf(query: StationQuery) {
    const { station, store, now } = query;
    const { newest: point } = await newest(query);
    if (!point) return undefined;
    const { time: from, level_db: stored } = point;
    const scale = await scaleOfAnswer(store, { from, to: aheadOf(now) });
    const { unit, offset } = offsetScaleOf(scale, station.site.calibrationOffsetDb);
    const level_db = stored === null ? undefined : addLevels(stored, offset);
    return { station: station.name, age_seconds: ageOf(from, now), level_db, unit };
  }

  async function* changes(
    names: () => Promise<readonly string[]>,
    levels: Levels,
    signal: AbortSignal,
  ): AsyncGenerator<Frame<StationsEvent>> {
    const read = (query: StationQuery) => nowOf(query, levels);
    const sent = new Map<string, string>();
    let last: readonly string[] = [];
    while (!signal.aborted) {
      last = await names().catch(() => last);
      const here = await ofEach(last, read, gone);
      const lost = [...sent.keys()].filter((name) => here.every((row) => row.name !== name)).map(gone);
      const changed = [...here, ...lost].filter((row) => sent.get(row.name) !== JSON.stringify(row));
      for (const row of changed) sent.set(row.name, JSON.stringify(row));
      if (changed.length > 0 && !signal.aborted)
        yield { id: instantOf(clock()), event: { stations: changed } };
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  return {
    async list(names: readonly string[], levels: Levels): Promise<StationOverview[]> {
      const none = { hours_offset_db: null, night_offset_db: null };
      const rows = await ofEach(names, rowOf, (name) => ({
        row: { name, path: stationPath(name), ...UNAVAILABLE },
        ...none,
      }));
      return rows.map((each) => shownRow(each, levels));
    },

    /** The newest level of each station that has a level, with its unit. */
    levels: (names: readonly string[]) => ofEach(names.slice(0, MOST_LABELLED), levelOf, () => undefined),

    /** Sends all stations, then changed stations, until `signal` aborts. @param names the current stations */
    async open(names: () => Promise<readonly string[]>, levels: Levels, signal: AbortSignal) {
      await names(); // throws while the stream can still be refused
      if (stopping.signal.aborted) throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping');
      return changes(names, levels, AbortSignal.any([signal, stopping.signal]));
    },

    stop: () => stopping.abort(),
  };
}

/** Ignores the error of a station that does not exist. @throws any other error */
function unlessNone(error: Error): undefined {
  if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
}

function queryOf(station: Station, now: string): StationQuery {
  const { db, rollups } = station;
  const query: typeof db.query = (statement, values) =>
    db.query(statement, values, AbortSignal.timeout(PATIENCE_MS));
  return { station, store: { db: { ...db, query }, rollups }, now };
}

/** @returns a function that repeats its last result until that is too old or `about` changes */
function remembered<Value>(
  goodMs: (value: Value) => number,
  read: (query: StationQuery, before?: Value) => Promise<Value>,
) {
  const kept = new WeakMap<Station, { about: string; reading: Promise<Value>; until: number }>();
  return (query: StationQuery, about = ''): Promise<Value> => {
    const found = kept.get(query.station);
    if (found?.about === about && performance.now() < found.until) return found.reading;
    const before = Promise.resolve(found?.reading).catch(() => undefined);
    const now = {
      about,
      reading: before.then((value) => read(query, value)),
      until: Number.POSITIVE_INFINITY,
    };
    kept.set(query.station, now);
    const keep = (ms: number) => {
      now.until = performance.now() + ms;
    };
    now.reading.then(goodMs, () => FAILED_MS).then(keep);
    return now.reading;
  };
}

function dayOf({ station, now }: Pick<StationQuery, 'station' | 'now'>) {
  const { hours, night } = clockOf(station.site, now);
  const { calibrationOffsetDb, assess, uncertaintyDb, minMeasuredPercent, weighting } = station.site;
  return {
    hours,
    night,
    calibrationOffsetDb,
    judgement: { assess, uncertaintyDb, minMeasuredPercent, weighting },
  };
}

async function readNewest(
  { station, store, now }: StationQuery,
  known: string | null | undefined,
  since: [string, string],
) {
  const found = await newestLevel(store, { known, now, to: aheadOf(now), since });
  if (found.settings) station.renew(found.settings);
  return found;
}

const later = (time: string, seconds: number) => addSeconds(time, seconds) ?? time;

const gone = (name: string): StationNow => ({ ...NO_POINT, name, ahead_until: null, state: 'unavailable' });
