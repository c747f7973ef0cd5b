// Reads the figures of events.
import { instantOfMicros } from '../../contract/instant.ts';
import { boundOf, later } from '../../contract/ranges.ts';
import { compile, instantText, parameter, type SQL, sql } from '../../database/drizzle.ts';
import { TOTALS, TOTALS_OF_POINTS } from '../../database/rollups.ts';
import { audioData, tables } from '../../database/schema.ts';
import { inInterval as among } from '../../points/points.ts';
import { END_MINUTES, IS_FRESH, minutesWhose, pointsIn } from '../../points/points-above.ts';
import { figuresOf, lowestLeq, mostFrequent } from '../../rollups/figures.ts';
import { type Totals, type TotalsRow, totalsOf } from '../../rollups/histogram.ts';
import { ofAllPoints, type Store } from '../../rollups/store.ts';
import { intervalHistogram } from '../stats/summary/query.ts';
import { arrayOf, type EndedRun } from './event-ends.ts';

/** Rollups are faster than points for events longer than this, in microseconds. */
const LONG_MICROS = 3_600_000_000n;

const { time, rms_db } = audioData;

// Reads the points of each event once. `among` lets TimescaleDB exclude chunks at planning.
const figures = compile(
  sql<EventRow>`
  select figures.*
  from unnest(${parameter('starts')}::timestamptz[], ${parameter('ends')}::timestamptz[])
    with ordinality as event (start, until, index)
  cross join lateral (
    with points as materialized (
      select * from ${tables.points} where ${time} >= start and ${time} < until and ${among}
    )
    select ${TOTALS}, dominant_frequency_hz,
      (select ${instantText(sql`min(time)`)} from points where rms_db = max_db) as peak_at
    from (
      select ${TOTALS_OF_POINTS},
        mode() within group (order by frequency_hz) as dominant_frequency_hz
      from points
    ) as totals
  ) as figures
  order by index`,
  'event_figures',
);

const isPeak = (level: SQL) => sql`${level} = ${parameter('level')}::real`;
const peakOf = (points: SQL, name: string) =>
  compile(
    sql<{ peak_at: string | null }>`select ${instantText(sql`min(${time})`)} as peak_at from ${points}`,
    name,
  );
const peak = peakOf(sql`${tables.points} where ${among} and ${isPeak(sql`${rms_db}`)}`, 'event_peak');
// the first matching minute holds the first peak, unless that lies in a minute that an end cuts
const isFirst = sql`bucket >= ${parameter('from')}::timestamptz and ${isPeak(sql`max_db`)} and ${IS_FRESH}`;
const firstMinute = sql`(${minutesWhose(isFirst)} order by bucket limit 1)
  union all ${END_MINUTES}`;
const peakInMinutes = peakOf(pointsIn(firstMinute, isPeak(sql`rms_db`)), 'event_peak_in_minutes');

type EventRow = TotalsRow & {
  readonly dominant_frequency_hz: number | null;
  readonly peak_at: string | null;
};

type EventFigures = ReturnType<typeof completeFigures>;

/** The figures of each event; undefined if its points were deleted meanwhile. */
export async function figuresOfEvents(store: Store, events: readonly EndedRun[]): Promise<EventFigures[]> {
  const all: EventFigures[] = [];
  for (const together of batchesOf(events)) {
    const [first] = together;
    if (first && lengthOf(first) > LONG_MICROS) all.push(await figuresOfLong(store, first));
    else all.push(...(await figuresOfShort(store, together)));
  }
  return all;
}

/** Batches of at most {@link LONG_MICROS} of points per statement. A longer event gets a batch of its own. */
function batchesOf(events: readonly EndedRun[]): EndedRun[][] {
  const batches: EndedRun[][] = [];
  let left = -1n;
  for (const event of events) {
    const length = lengthOf(event);
    if (length <= left) batches.at(-1)?.push(event);
    else {
      batches.push([event]);
      left = LONG_MICROS;
    }
    left -= length;
  }
  return batches;
}

const lengthOf = ({ loud, end }: EndedRun) => end - loud;

async function figuresOfShort({ db }: Store, events: readonly EndedRun[]): Promise<EventFigures[]> {
  const oldest = events.at(-1);
  if (!oldest) return [];
  const rows = await db.query(figures, {
    starts: arrayOf(events.map(({ loud }) => loud)),
    ends: arrayOf(events.map(untilOf)),
    from: instantOfMicros(oldest.loud),
    to: boundOf(events.map(untilOf).reduce(later)),
  });
  return rows.map(({ dominant_frequency_hz, peak_at, ...row }) =>
    completeFigures(totalsOf(row), dominant_frequency_hz, peak_at),
  );
}

async function figuresOfLong(store: Store, event: EndedRun): Promise<EventFigures> {
  const interval = { from: instantOfMicros(event.loud), to: instantOfMicros(untilOf(event)) };
  const found = await intervalHistogram(ofAllPoints(store), interval);
  if (found.max_db === null) return undefined;
  const level = Math.fround(found.max_db);
  const statement = (await store.rollups.inUse()) ? peakInMinutes : peak;
  const [row] = await store.db.query(statement, { ...interval, level });
  return completeFigures(found, mostFrequent(found.frequencies), row?.peak_at ?? null);
}

function completeFigures(totals: Totals, dominant_frequency_hz: number | null, peak_at: string | null) {
  const { under_range, over_range } = totals;
  const { point_count, leq_db, max_db: peak_db } = figuresOf(totals);
  if (leq_db === null || peak_db === null || peak_at === null) return undefined;
  return {
    point_count,
    leq_db,
    leq_low_db: lowestLeq(totals),
    peak_db,
    peak_at,
    dominant_frequency_hz,
    under_range,
    over_range,
  };
}

/** The exclusive end of an event's points: the last one belongs to it even if its duration is not known. */
const untilOf = ({ last, end }: EndedRun) => later(end, last + 1n);
