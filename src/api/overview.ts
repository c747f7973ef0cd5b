// Looks at all stations: how each is doing, for stations.list, stations.live and the metrics. What is read is kept for a
// while and shared by all callers, and goes with its station.
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { addSeconds, instantOf, microsOf } from '../contract/instant.ts';
import { offsetOf, scaleOf } from '../contract/shown-scale.ts';
import { stationPath } from '../contract/station.ts';
import { LEAST_MEASURED, type StationNow, type StationOverview } from '../contract/stations.ts';
import { AppError } from '../errors.ts';
import type { EventStream, Frame } from '../live/frame.ts';
import { scaleOfAnswer } from '../queries/periods.ts';
import { type NewestLevel, newestLevel } from '../queries/points/newest-level.ts';
import { spacing } from '../queries/points/spacing.ts';
import { ROUNDING_DB } from '../queries/statistics/against-limits.ts';
import { lastDay } from '../queries/statistics/last-day.ts';
import { leastGap } from '../queries/statistics/quality.ts';
import type { Station } from '../stations/station.ts';
import type { Stations } from '../stations/stations.ts';
import type { Store } from '../store/store.ts';
import { clockOf, type StationClock } from './station-clock.ts';

const AT_A_TIME = 4;
/** A statement that takes longer fails, and its station with it, in milliseconds. */
const PATIENCE_MS = 5000;
/** For how long what was read is good, in milliseconds. Finished hours change too, if points come late. */
const NEWEST_MS = 900;
const HOUR_MS = 3000;
const settledMs = () => 300_000 * (1 + Math.random());
const FAILED_MS = 1000;
const EVERY_MS = 1000;
/** The stations that metrics name. */
const MOST_LABELLED = 500;
/** The clocks of a recorder and of the service may differ by so much. */
const AHEAD_SECONDS = 60;

export type Overview = ReturnType<typeof createOverview>;

const NOTHING = {
  place_name: null,
  time_zone: null,
  state: 'unavailable',
  newest: null,
  newest_age_seconds: null,
  level_db: null,
  leq_1h_db: null,
  scale: null,
  limit_db: null,
  night: null,
  hours: null,
} as const;

const later = (time: string, seconds: number) => addSeconds(time, seconds) ?? time;

/** @param clock milliseconds since 1970 */
export function createOverview(stations: Pick<Stations, 'open'>, clock: () => number) {
  const inTurn = pLimit(AT_A_TIME);
  const open = new Set<EventStream>();
  let isStopping = false;
  const newest = remembered(() => NEWEST_MS, readNewest);
  const hour = remembered(
    () => HOUR_MS,
    (asked) => readNewest(asked, [later(asked.now, -3600), `${asked.clock.hours.at(-1)}`]),
  );
  const usual = remembered(
    (seconds: number | null) => (seconds === null ? HOUR_MS : settledMs()),
    ({ store, now }) => spacing(store, null, now),
  );
  const settled = remembered(settledMs, ({ store, now, clock: { hours, night } }) =>
    lastDay(store, hours, night, now),
  );

  /** Reads what is asked of each station, a few at a time. Leaves out those that are not wholly made, or just gone. */
  async function ofEach<Value>(
    names: readonly string[],
    read: (asked: Asked) => Promise<Value>,
    failed: (name: string) => Value,
  ): Promise<Value[]> {
    const each = async (name: string) => {
      try {
        const station = await stations.open(name).catch(unlessNone);
        return station ? [await read(askedOf(station, instantOf(clock())))] : [];
      } catch {
        return [failed(name)];
      }
    };
    return (await Promise.all(names.map((name) => inTurn(each, name)))).flat();
  }

  async function overviewOf(asked: Asked): Promise<StationOverview> {
    const { station, store, now, clock } = asked;
    const { name, path, site } = station;
    const { newest: point, leq } = await hour(asked, clock.hours.at(-1));
    const { hours, night } = await settled(asked, JSON.stringify([clock.hours, clock.night]));
    const from = later(now, -3600);
    const to = later(now, AHEAD_SECONDS);
    const scale = await scaleOfAnswer(store, { from: point && point.time < from ? point.time : from, to });
    return {
      name,
      path,
      place_name: site.name,
      time_zone: site.timeZone,
      state: stateOf(asked, point, await usual(asked)),
      newest: point?.time ?? null,
      newest_age_seconds: point ? ageOf(point, now) : null,
      level_db: point?.level_db ?? null,
      leq_1h_db: leq[0],
      scale,
      limit_db: clock.limit_db,
      night: night && clock.night && { ...clock.night, ...(await judged(asked, night, clock.night)) },
      hours: [...hours, leq[1]],
    };
  }

  async function nowOf(asked: Asked): Promise<StationNow> {
    const { newest: point } = await newest(asked);
    const state = stateOf(asked, point, await usual(asked));
    const { time = null, level_db = null } = point ?? {};
    return { name: asked.station.name, time, level_db, state };
  }

  return {
    list: (names: readonly string[]): Promise<StationOverview[]> =>
      ofEach(names, overviewOf, (name) => ({ name, path: stationPath(name), ...NOTHING })),

    /** The newest level of each station that has one, on its scale. */
    async levels(names: readonly string[]) {
      const levelOf = async (asked: Asked) => {
        const { newest: point } = await newest(asked);
        if (!point) return undefined;
        const interval = { from: point.time, to: later(asked.now, AHEAD_SECONDS) };
        const recorded = await scaleOfAnswer(asked.store, interval);
        const { unit, offset } = scaleOf(recorded, asked.station.site.calibrationOffsetDb);
        const level_db = point.level_db === null ? undefined : point.level_db + offset;
        return { station: asked.station.name, age_seconds: ageOf(point, asked.now), level_db, unit };
      };
      const rows = await ofEach(names.slice(0, MOST_LABELLED), levelOf, () => undefined);
      return rows.filter((row) => row !== undefined);
    },

    /** Tells all stations, then those that change, until it is closed. @param names those that there are now */
    async open(names: () => Promise<readonly string[]>): Promise<EventStream> {
      let last = await names();
      if (isStopping) throw new AppError('SERVICE_UNAVAILABLE', 'The service is stopping');
      const closing = new AbortController();
      const stream: EventStream = {
        onClosed: () => {},
        close() {
          if (closing.signal.aborted) return;
          open.delete(stream);
          closing.abort();
          stream.onClosed();
        },
        async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
          const sent = new Map<string, string>();
          while (!closing.signal.aborted) {
            last = await names().catch(() => last);
            const here = await ofEach(last, nowOf, gone);
            const lost = [...sent.keys()].filter((name) => here.every((row) => row.name !== name));
            const rows = [...here, ...lost.map(gone)];
            const changed = rows.filter((row) => sent.get(row.name) !== JSON.stringify(row));
            for (const row of changed) sent.set(row.name, JSON.stringify(row));
            if (changed.length > 0 && !closing.signal.aborted) yield frameOf(changed, instantOf(clock()));
            await sleep(EVERY_MS, undefined, { signal: closing.signal }).catch(() => {});
          }
        },
      };
      open.add(stream);
      return stream;
    },

    stop(): void {
      isStopping = true;
      for (const stream of open) stream.close();
    },
  };
}

/** @throws what it is given, unless there is no such station */
function unlessNone(error: Error): undefined {
  if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
}

/** What is asked of a station, at one moment. */
interface Asked {
  readonly station: Station;
  readonly store: Store;
  readonly now: string;
  readonly clock: StationClock;
}

function askedOf(station: Station, now: string): Asked {
  const { db, rollups, site } = station;
  const query: typeof db.query = (statement, values) =>
    db.query(statement, values, AbortSignal.timeout(PATIENCE_MS));
  return { station, store: { db: { ...db, query }, rollups }, now, clock: clockOf(site, now) };
}

/** @returns a function that reads again if what it read is too old, or was about something else */
function remembered<Value>(goodMs: (value: Value) => number, read: (asked: Asked) => Promise<Value>) {
  const kept = new WeakMap<Station, { about: string; value: Promise<Value>; until: number }>();
  return (asked: Asked, about = ''): Promise<Value> => {
    const found = kept.get(asked.station);
    if (found?.about === about && performance.now() < found.until) return found.value;
    const reading = { about, value: read(asked), until: Number.POSITIVE_INFINITY };
    kept.set(asked.station, reading);
    const keep = (ms: number) => {
      reading.until = performance.now() + ms;
    };
    reading.value.then(
      (value) => keep(goodMs(value)),
      () => keep(FAILED_MS),
    );
    return reading.value;
  };
}

const lastKnown = new WeakMap<Station, NewestLevel>();

async function readNewest({ station, store, now }: Asked, since?: [string, string]) {
  const asked = { known: lastKnown.get(station), now, to: later(now, AHEAD_SECONDS) };
  const found = await newestLevel(store, asked, since);
  if (found.newest) lastKnown.set(station, found.newest);
  else lastKnown.delete(station);
  return found;
}

type Night = NonNullable<Awaited<ReturnType<typeof lastDay>>['night']>;

async function judged(
  { store, station }: Asked,
  { leq_db, leq_low_db, measured_percent }: Night,
  { limit_db, ...interval }: NonNullable<StationClock['night']>,
) {
  const offset = offsetOf(await scaleOfAnswer(store, interval), station.site.calibrationOffsetDb);
  const isOver = (level: number | null) =>
    level !== null && offset !== null && level + offset - limit_db > ROUNDING_DB;
  const isKnown = measured_percent >= LEAST_MEASURED && isOver(leq_db) === isOver(leq_low_db);
  const verdict = isOver(leq_db) ? ('over' as const) : ('under' as const);
  return {
    leq_db,
    measured_percent,
    state: offset === null ? null : isKnown ? verdict : ('undecided' as const),
  };
}

function stateOf({ station, now }: Asked, point: NewestLevel | undefined, spacing_seconds: number | null) {
  if (point && ageOf(point, now) < leastGap(spacing_seconds)) return 'recording';
  if (station.recorder()?.running) return 'silent_recorder';
  return point ? 'offline' : 'empty';
}

const ageOf = ({ time }: NewestLevel, now: string) =>
  Math.max(0, Number(microsOf(now) - microsOf(time)) / 1e6);

const gone = (name: string): StationNow => ({ name, time: null, level_db: null, state: 'unavailable' });

function frameOf(stations: readonly StationNow[], id: string): Frame {
  return { id, bytes: Buffer.from(`data: ${JSON.stringify({ stations })}\nid: ${id}\n\n`), points: 0 };
}
