// Reads the ends of events.
import { instantOfMicros, LAST_MICROS, microsOf } from '../../contract/instant.ts';
import { boundOf, earlier, later } from '../../contract/ranges.ts';
import { compile, instantText, parameter, sql } from '../../database/drizzle.ts';
import { audioData, tables } from '../../database/schema.ts';
import { periodSpacing } from '../../points/point-times.ts';
import { inInterval as among } from '../../points/points.ts';
import type { Store } from '../../rollups/store.ts';
import { type Criteria, microsIn } from './event-criteria.ts';
import { ABOVE_BACKGROUND, ABOVE_LEVEL, type PointsAbove, valuesAbove } from './points-above-floor.ts';
import type { EventRun } from './search-runs-back.ts';

/** A run, the end of its event in microseconds since 1970, and whether a point follows within the hold. */
export interface EndedRun extends EventRun {
  readonly end: bigint;
  readonly isFollowed: boolean;
}

const { time } = audioData;

const followers = compile(
  sql<{ follower: string | null; spacing: number | null }>`
  select ${instantText(sql`follower`)} as follower,
    case when follower is null then (${periodSpacing(sql`since <= start`)}) end as spacing
  from unnest(${parameter('starts')}::timestamptz[], ${parameter('lasts')}::timestamptz[], ${parameter('holds')}::float8[])
    with ordinality as run (start, last, hold, index)
  cross join lateral (
    select min(${time}) as follower from ${tables.points}
    where ${time} > last and ${time} <= last + hold * interval '1 microsecond' and ${among}
  ) as after
  order by index`,
  'event_followers',
);

/** The first point of the next run after each `last`, if before `alone`, where the event ends if no run follows. */
const nextRun = ({ amongAll }: PointsAbove, name: string) =>
  compile(
    sql<{ next: string | null }>`
  select ${instantText(sql`next`)} as next
  from unnest(${parameter('lasts')}::timestamptz[], ${parameter('alone')}::timestamptz[]) with ordinality as run (last, alone, index)
  cross join lateral (select min(${time}) as next from ${amongAll} where ${time} > last and ${time} < alone) as after
  order by index`,
    name,
  );
const nextAboveLevel = nextRun(ABOVE_LEVEL, 'next_run_above_level');
const nextAboveBackground = nextRun(ABOVE_BACKGROUND, 'next_run_above_background');

/** Most ends per statement: each needs its own search. */
export const MOST_AT_ONCE = 1000;

/** The same runs, newest first, with the end of each event. */
export async function endsOf(store: Store, runs: readonly EventRun[], criteria: Criteria) {
  const ended: EndedRun[] = [];
  for (let at = 0; at < runs.length; at += MOST_AT_ONCE)
    ended.push(...(await endsOfSome(store, runs.slice(at, at + MOST_AT_ONCE), criteria)));
  return ended;
}

async function endsOfSome(store: Store, runs: readonly EventRun[], criteria: Criteria): Promise<EndedRun[]> {
  const oldest = runs.at(-1);
  if (!oldest) return [];
  const to = runs.map(({ last, hold }) => last + hold + 1n).reduce(later);
  const rows = await store.db.query(followers, {
    starts: arrayOf(runs.map(({ loud }) => loud)),
    lasts: arrayOf(runs.map(({ last }) => last)),
    holds: `{${runs.map(({ hold }) => hold).join()}}`,
    from: instantOfMicros(oldest.last),
    to: boundOf(to),
  });
  const usual = microsIn(criteria.spacing_seconds ?? 0);
  const ended = runs.map((run, index) => {
    const { follower = null, spacing = null } = rows[index] ?? {};
    const alone = run.last + (spacing === null ? usual : BigInt(spacing));
    const end = follower !== null ? microsOf(follower) : earlier(alone, LAST_MICROS);
    return { ...run, end, isFollowed: follower !== null };
  });
  const mayMeet = ended.filter(({ last, hold, end, isFollowed }) => !isFollowed && end - last > hold);
  const next = await nextRuns(store, mayMeet, criteria);
  return ended.map((run) => ({ ...run, end: next.get(run) ?? run.end }));
}

/** By run: the start of the next run, if it cuts the event short. */
async function nextRuns(
  store: Store,
  runs: readonly EndedRun[],
  criteria: Criteria,
): Promise<Map<EndedRun, bigint>> {
  const oldest = runs.at(-1);
  if (!oldest) return new Map();
  const range = { from: oldest.last, to: runs.map(({ end }) => end).reduce(later) };
  const { values } = await valuesAbove(store, range, criteria);
  if (!values) return new Map();
  const rows = await store.db.query('starts' in values ? nextAboveBackground : nextAboveLevel, {
    ...values,
    lasts: arrayOf(runs.map(({ last }) => last)),
    alone: arrayOf(runs.map(({ end }) => end)),
    from: boundOf(range.from),
    to: boundOf(range.to),
  });
  return new Map(
    runs.flatMap((run, index) => {
      const { next = null } = rows[index] ?? {};
      return next === null ? [] : [[run, microsOf(next)] as const];
    }),
  );
}

export const arrayOf = (times: readonly bigint[]) => `{${times.map(boundOf).join()}}`;
