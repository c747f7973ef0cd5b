// Reads how points were recorded: the periods, and the scale of the levels of an interval.
import {
  AFTER_LAST_INSTANT,
  FIRST_INSTANT,
  type Interval,
  microsOf,
  type OpenInterval,
} from '../contract/instant.ts';
import { FLOOR_DB, unitOf } from '../contract/level-unit.ts';
import {
  doLevelsCompare,
  isEnergyUnavailable,
  isKnown,
  type LevelScale,
  type Period,
  type PeriodSettings,
  type RecordingPeriod,
  UNKNOWN,
} from '../contract/periods.ts';
import type { Annotations } from '../database/annotation-memory.ts';
import type { Database } from '../database/database.ts';
import { compile, parameter, sql } from '../database/drizzle.ts';
import { newestPeriods, periodColumns } from '../database/periods.ts';
import { tables } from '../database/schema.ts';
import { annotationsOf, type Store } from '../rollups/store.ts';

/** With more periods than this, all of them count, even without points. */
const MOST_CHECKED = 50;

/** The periods that begin in the interval, and the last one before it. */
const between = compile(
  sql<Period>`select ${periodColumns} from ${tables.periods}
    where since < ${parameter('to')}::timestamptz and since >= coalesce(
      (select max(since) from ${tables.periods} where since <= ${parameter('from')}::timestamptz), '-infinity')
    order by audio_data_periods.since`,
  'periods_between',
);

const measured = compile(
  sql<{ index: number }>`select index - 1 as index
    from unnest(${parameter('starts')}::timestamptz[], ${parameter('ends')}::timestamptz[])
      with ordinality as stretch(start, "end", index)
    where exists (select from ${tables.points} where time >= start and time < "end")
      or exists (select from ${tables.history} where minutes = 1 and bucket > start - interval '1 minute' and bucket < "end")
    order by index`,
  'periods_measured',
);

/** Newest first. */
export async function recordingPeriods(db: Database, limit: number): Promise<RecordingPeriod[]> {
  const rows = await newestPeriods(db, limit);
  return rows.map(({ since, reference_db, ...period }) => ({
    since,
    unit: unitOf({ ...period, reference_db }),
    reference_db,
    ...period,
  }));
}

/** A part of an interval within one period; undefined before the first period. */
interface Stretch extends Interval {
  readonly period: Period | undefined;
}

const closed = ({ from, to }: OpenInterval): Interval => ({
  from: from ?? FIRST_INSTANT,
  to: to ?? AFTER_LAST_INSTANT,
});

export async function scaleOf(db: Database, open: OpenInterval): Promise<LevelScale> {
  const interval = closed(open);
  return scaleIn(db, await db.query(between, interval), interval);
}

/** @returns the instant up to which levels are comparable with the first; the end of the interval if all are */
export async function endOfFirstScale(db: Database, open: OpenInterval): Promise<string> {
  const interval = closed(open);
  const held = await withPoints(db, stretchesOf(await db.query(between, interval), interval));
  const first = held[0]?.period ?? UNKNOWN;
  return held.find(({ period }) => !isOneScale([first, period ?? UNKNOWN]))?.from ?? interval.to;
}

/** The scale of the levels in a statistics result, by the periods that its statement saw. */
export const scaleOfAnswer = (store: Store, open: OpenInterval): Promise<LevelScale> =>
  scaleIn(store.db, periodsOfAnswer(store, open), closed(open));

/** How the times in a statistics result were set, by the periods that its statement saw; null if they differ. */
export async function clockOfAnswer(store: Store, interval: Interval): Promise<PeriodSettings['clock']> {
  const held = await withPoints(store.db, stretchesOf(periodsOfAnswer(store, interval), interval));
  return commonOf(held.map(({ period }) => period?.clock ?? null));
}

/** The length in milliseconds of the windows before a time, by the period then; null if it is unknown. */
export const intervalAt = (store: Store, before: string): number | null =>
  annotationsOf(store).periods.findLast(({ since }) => since < before)?.interval_ms || null;

/** Whether points of an interval stand for windows of different lengths, so that a mean of points is no mean of time. */
export async function haveTwoLengths(store: Store, interval: Interval): Promise<boolean> {
  const areTwo = (periods: readonly (Period | undefined)[]) =>
    new Set(periods.flatMap((period) => period?.interval_ms ?? [])).size > 1;
  const periods = periodsOfAnswer(store, interval);
  if (!areTwo(periods)) return false;
  return areTwo((await withPoints(store.db, stretchesOf(periods, interval))).map(({ period }) => period));
}

function periodsOfAnswer(store: Store, { from, to }: OpenInterval): Period[] {
  const { periods } = annotationsOf(store);
  const before = periods.findLastIndex(({ since }) => from !== null && since <= from);
  return periods.slice(Math.max(before, 0)).filter(({ since }) => to === null || since < to);
}

/** If there are several periods, those without a point in the interval do not count. */
async function scaleIn(db: Database, periods: readonly Period[], interval: Interval): Promise<LevelScale> {
  const held = await withPoints(db, stretchesOf(periods, interval));
  const settings = held.map(({ period }) => period ?? UNKNOWN);
  const [first] = settings;
  return {
    levels: 'stored',
    ...(first && isOneScale(settings)
      ? { unit: unitOf(first), reference_db: first.reference_db ?? 0 }
      : { unit: null, reference_db: null }),
    floor_db: FLOOR_DB,
    weighting: commonOf(settings.map(({ weighting }) => weighting)),
    time_weighting: commonOf(settings.map(({ time_weighting }) => time_weighting)),
    statistic: commonOf(settings.map(({ statistic }) => statistic)),
    energy_unavailable: settings.some(isEnergyUnavailable),
    recording_period_count: held.length,
  };
}

/** The times, in microseconds since 1970, from which levels are on another scale than before. Oldest first. */
export function changesOfScale({ periods }: Annotations): bigint[] {
  const isChange = (period: Period, at: number) => !isOneScale([periods[at - 1] ?? UNKNOWN, period]);
  return periods.filter(isChange).map(({ since }) => microsOf(since));
}

/** Whether levels share one unit and one reference, and the known settings are comparable. */
function isOneScale(settings: readonly PeriodSettings[]): boolean {
  const scales = new Set(settings.map((each) => `${unitOf(each)} ${each.reference_db ?? 0}`));
  return scales.size <= 1 && doLevelsCompare(...settings.filter(isKnown));
}

/** @returns the common value; null if the values differ */
const commonOf = <Value>([first, ...others]: readonly Value[]) =>
  first !== undefined && others.every((each) => each === first) ? first : null;

function stretchesOf(periods: readonly Period[], { from, to }: Interval): Stretch[] {
  const [first] = periods;
  const before = first && first.since <= from ? [] : [{ from, to: first?.since ?? to, period: undefined }];
  return [
    ...before,
    ...periods.map((period, index) => ({
      from: period.since > from ? period.since : from,
      to: periods[index + 1]?.since ?? to,
      period,
    })),
  ];
}

/** @returns the stretches that have points; the last stretch if none has any */
async function withPoints(db: Database, stretches: readonly Stretch[]): Promise<readonly Stretch[]> {
  if (stretches.length === 1 || stretches.length > MOST_CHECKED) return stretches;
  const list = (times: readonly string[]) => `{${times.join()}}`;
  const rows = await db.query(measured, {
    starts: list(stretches.map(({ from }) => from)),
    ends: list(stretches.map(({ to }) => to)),
  });
  const indexes = new Set(rows.map(({ index }) => index));
  const found = stretches.filter((_, index) => indexes.has(index));
  return found.length > 0 ? found : stretches.slice(-1);
}
