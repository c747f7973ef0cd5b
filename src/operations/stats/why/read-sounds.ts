// Reads when the sounds of a part of a day begin and end, and the energy of each by band.
import { DEFAULT_ABOVE_BACKGROUND_DB } from '../../../contract/default-event-rule.ts';
import { floorTo, type Interval, microsOf, type Range } from '../../../contract/instant.ts';
import { clip, cutAt, earlier, later, rangeOf, union, within, without } from '../../../contract/ranges.ts';
import { compile, instantText, parameter, sql } from '../../../database/drizzle.ts';
import { audioData, tables } from '../../../database/schema.ts';
import { inInterval } from '../../../points/points.ts';
import { figuresOf } from '../../../rollups/figures.ts';
import { addUp, type Totals } from '../../../rollups/histogram.ts';
import { answer, type RollupQuery } from '../../../rollups/rollup-planner.ts';
import { timestamps, unionOfPoints } from '../../../rollups/source-scans.ts';
import { excludedOf, type Store } from '../../../rollups/store.ts';
import { ALL_LIMITS } from '../../events/all-runs.ts';
import { arrayOf, endsOf } from '../../events/event-ends.ts';
import { searchRunsBack } from '../../events/search-runs-back.ts';
import { BAND } from '../frequencies/query.ts';
import { STEADY_ABOVE_DB, spreadOf, steadyRuns } from './steady-runs.ts';

/** The rule of events.list, above the background of the part. But an event begins with its run, not above the threshold. */
const EVENT_RULE = { above_background: null, hysteresis: 3, hold_seconds: 10, min_duration_seconds: 0 };
const LEAST_EVENT = 5_000_000n;
const MINUTE = 60_000_000n;

/** Sums over the points of a sound. */
export interface Energy {
  readonly level_count: number;
  readonly power_sum: number;
  readonly max_db: number | null;
  /** The energy of each band. Points without a frequency are in none. */
  readonly bands: ReadonlyMap<number, number>;
  /** The points in the assessed stretch, and their energy. */
  readonly assessed: { readonly level_count: number; readonly power_sum: number };
}

/** A steady run or an event. */
export interface SoundRun extends Range {
  readonly isSteady: boolean;
  /** The standard deviation of the levels in a typical minute of a steady run, dB. */
  readonly deviation_db: number;
}

export interface SearchedPart {
  /** What has passed of it. */
  readonly past: Interval;
  readonly background_db: number;
  /** By minute, from the one in which it starts. */
  readonly minutes: readonly Totals[];
  readonly spacing_seconds: number | null;
  readonly now: string;
}

const firstMinute = ({ past }: Pick<SearchedPart, 'past'>) => floorTo(microsOf(past.from), MINUTE);

/** @returns the sounds in order of time. An event may lie within a steady run, whose points it then takes */
export async function findSounds(store: Store, part: SearchedPart): Promise<SoundRun[]> {
  const { past, background_db, minutes } = part;
  const start = firstMinute(part);
  const measured = without([rangeOf(past)], excludedOf(store));
  const runs = steadyRuns(minutes, background_db).map(({ first, end }) => {
    const its = minutes.slice(first, end);
    const deviations = its.flatMap((minute) => spreadOf(minute)?.deviation_db ?? []).sort((a, b) => a - b);
    return {
      ...clip({ from: start + BigInt(first) * MINUTE, to: start + BigInt(end) * MINUTE }, rangeOf(past)),
      isSteady: true,
      deviation_db: deviations[deviations.length >> 1] ?? 0,
      level_db: figuresOf(addUp(its)).avg_db ?? background_db,
    };
  });
  const steady = await withExactEnds(store, runs, measured, part);
  const searched = [
    ...steady.map(({ from, to, level_db }) => ({ ranges: within(measured, { from, to }), level_db })),
    { ranges: without(measured, union(steady)), level_db: background_db },
  ];
  const spent = { points: 0, read: 0 };
  const events: Range[] = [];
  for (const { ranges, level_db } of searched)
    events.push(...(await eventsAbove(store, ranges, level_db, part, spent)));
  return [...steady, ...events.map((range) => ({ ...range, isSteady: false, deviation_db: 0 }))].sort(
    (a, b) => (a.from < b.from ? -1 : 1),
  );
}

/** For each run: the first point of the stretch above the level that leads to it, and the end of that after it. */
const ends = compile(
  sql<{ first: string | null; last: string | null; low: string | null }>`
  select ${instantText(sql`before.first`)} as first, ${instantText(sql`after.last`)} as last,
    ${instantText(sql`after.low`)} as low
  from unnest(${parameter('sinces')}::timestamptz[], ${parameter('starts')}::timestamptz[],
    ${parameter('ends')}::timestamptz[], ${parameter('untils')}::timestamptz[])
    with ordinality as run (since, start, "end", until, index)
  cross join lateral (
    select min(time) filter (where time > low or low is null) as first from (
      select time, max(time) filter (where rms_db < ${parameter('level')}::float8) over () as low
      from ${tables.points} where time >= since and time < start and rms_db is not null and ${inInterval}
    ) as points
  ) as before
  cross join lateral (
    select max(time) filter (where time < low or low is null) as last, min(low) as low from (
      select time, min(time) filter (where rms_db < ${parameter('level')}::float8) over () as low
      from ${tables.points} where time >= "end" and time < until and rms_db is not null and ${inInterval}
    ) as points
  ) as after
  order by index`,
  'steady_ends',
);

/** Extends steady runs into the minutes beside them, as far as all levels are above the background. */
async function withExactEnds<Run extends Range>(
  store: Store,
  runs: readonly Run[],
  measured: readonly Range[],
  { past, background_db }: SearchedPart,
): Promise<Run[]> {
  if (runs.length === 0) return [];
  const beside = runs.map(({ from, to }, at) => {
    const before = { from: later(runs[at - 1]?.to ?? from - MINUTE, from - MINUTE), to: from };
    const after = { from: to, to: earlier(runs[at + 1]?.from ?? to + MINUTE, to + MINUTE) };
    return {
      since: within(measured, before).findLast((range) => range.to === from)?.from ?? from,
      until: within(measured, after).find((range) => range.from === to)?.to ?? to,
    };
  });
  const found = await store.db.query(ends, {
    ...past,
    sinces: arrayOf(beside.map(({ since }) => since)),
    starts: arrayOf(runs.map(({ from }) => from)),
    ends: arrayOf(runs.map(({ to }) => to)),
    untils: arrayOf(beside.map(({ until }) => until)),
    level: background_db + STEADY_ABOVE_DB,
  });
  const extended = runs.map((run, at) => {
    const { first = null, last = null, low = null } = found[at] ?? {};
    const until = low === null ? beside[at]?.until : microsOf(low);
    return {
      ...run,
      from: first === null ? run.from : microsOf(first),
      to: last === null || until === undefined ? run.to : until,
    };
  });
  // two runs may both reach into the minutes between them
  return extended.map((run, at) => ({ ...run, from: later(extended[at - 1]?.to ?? run.from, run.from) }));
}

/**
 * @param ranges to search; only minutes with a level above the threshold are read
 * @throws TooManyPoints
 */
async function eventsAbove(
  store: Store,
  ranges: readonly Range[],
  level_db: number,
  { past, minutes, spacing_seconds, now }: SearchedPart,
  spent: { points: number; read: number },
): Promise<Range[]> {
  const threshold = Number((level_db + DEFAULT_ABOVE_BACKGROUND_DB).toFixed(6));
  const criteria = { ...EVENT_RULE, threshold, spacing_seconds };
  const start = firstMinute({ past });
  const isLoud = ({ from, to }: Range) =>
    minutes
      .slice(Number((from - start) / MINUTE), Number((to - start + MINUTE - 1n) / MINUTE))
      .some(({ max_db }) => max_db !== null && max_db > threshold);
  const found: Range[] = [];
  for (const range of ranges.filter(isLoud))
    for await (const runs of searchRunsBack(store, range, criteria, now, ALL_LIMITS, { spent })) {
      const ended = await endsOf(store, runs, criteria);
      found.push(...ended.map(({ first, end }) => clip({ from: first, to: end }, range)));
    }
  return found.filter(({ from, to }) => to - from >= LEAST_EVENT);
}

interface EnergyRow {
  /** The number of the stretch between two cuts, from 1. */
  readonly index: number;
  readonly band: number | null;
  readonly level_count: number;
  readonly power_sum: number;
  readonly max_db: number;
}

/** @returns the energy of each sound. Points in an event within a steady run are those of the event */
export async function energiesOf(
  store: Store,
  sounds: readonly SoundRun[],
  assessed: Range,
): Promise<Energy[]> {
  const events = union(sounds.filter(({ isSteady }) => !isSteady));
  const pieces = sounds
    .flatMap((sound, owner) =>
      (sound.isSteady ? without([sound], events) : [sound]).flatMap((range) =>
        cutAt(range, [assessed.from, assessed.to]).map((piece) => ({ ...piece, owner })),
      ),
    )
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const rows = await answer(store, energyBetween(pieces));
  const byOwner = Map.groupBy(rows, ({ index }) => index);
  const energies = sounds.map(() => ({
    level_count: 0,
    power_sum: 0,
    max_db: null as number | null,
    bands: new Map<number, number>(),
    assessed: { level_count: 0, power_sum: 0 },
  }));
  for (const [index, piece] of pieces.entries()) {
    const energy = energies[piece.owner];
    for (const { band, level_count, power_sum, max_db } of byOwner.get(index) ?? []) {
      if (!energy) continue;
      energy.level_count += level_count;
      energy.power_sum += power_sum;
      energy.max_db = Math.max(energy.max_db ?? max_db, max_db);
      if (band !== null) energy.bands.set(band, (energy.bands.get(band) ?? 0) + power_sum);
      if (piece.from < assessed.from || piece.to > assessed.to) continue;
      energy.assessed.level_count += level_count;
      energy.assessed.power_sum += power_sum;
    }
  }
  return energies;
}

/** @param pieces in order, without overlaps. @returns the energy of the points of each, by the index of the piece */
function energyBetween(pieces: readonly Range[]): RollupQuery<EnergyRow, EnergyRow[]> {
  const cuts = [...new Set(pieces.flatMap(({ from, to }) => [from, to]))];
  const indexByStart = new Map(pieces.map(({ from }, index) => [from, index]));
  const key = sql`width_bucket(${audioData.time}, ${timestamps(cuts)})`;
  return {
    ranges: union(pieces),
    usable: [],
    select: ({ raw }) =>
      sql`select index, band, level_count, power_sum, max_db from (${unionOfPoints(
        raw,
        sql`${key} as index, ${BAND} as band, count(*) as level_count,
          sum(power(10::float8, rms_db::float8 / 10)) as power_sum, max(rms_db) as max_db`,
        sql` and rms_db is not null group by 1, 2`,
      )}) as points`,
    answer: (rows) =>
      rows.flatMap((row) => {
        const start = cuts[row.index - 1];
        const index = start === undefined ? undefined : indexByStart.get(start);
        return index === undefined ? [] : [{ ...row, index }];
      }),
  };
}
