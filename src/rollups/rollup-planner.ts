// Plans and runs queries for statistics: reads rollups where their buckets are valid, and the points elsewhere. The
// results equal those of all the points, except for the last digits of sums of floats.
import { createHash } from 'node:crypto';
import { floorTo, instantOfMicros, type Range } from '../contract/instant.ts';
import { common, isWithin, totalLength, union, wholeBuckets, within, without } from '../contract/ranges.ts';
import { annotationsVersion } from '../database/annotation-memory.ts';
import { compile, compileWithValues, parameter, type SQL, sql } from '../database/drizzle.ts';
import type { Rollup } from '../database/rollups.ts';
import { tables } from '../database/schema.ts';
import { type Stored, type Versions, versionsOf } from './histogram-cache.ts';
import {
  historyIn,
  Outdated,
  type RollupState,
  rangesIn,
  readState,
  type StateRow,
  stateOf,
  unreadable,
  withState,
} from './rollup-state.ts';
import { type Plan, type Sources, sourcesOf, spanOf, TEN_MINUTES } from './source-scans.ts';
import { annotationsOf, type Check, consistently, excludedOf, type Store } from './store.ts';

/** Whether reading the points of a range is as fast as reading rollups. */
const isShort = ({ from, to }: Range) => to - from <= TEN_MINUTES;

/** What to read from points and fresh rollups, and how to compute the answer from it. */
export interface RollupQuery<Row, Answer> {
  /** In order; no bucket reaches from one range into another. */
  readonly ranges: readonly Range[];
  /** The rollups that this query can read, longest buckets first. */
  readonly usable: readonly Rollup[];
  /** Which points to read: those outside exclusions (the default), those inside, or all. */
  readonly among?: 'counted' | 'excluded' | 'all';
  /** Set if only whole buckets of this many seconds count: buckets that an exclusion touches are left out. */
  readonly wholeSeconds?: number;
  /** The lengths in minutes of buckets of history that it adds, longest first. By default it reads none. */
  readonly history?: readonly number[];
  /** Whether histogram buckets come from memory instead of the statement. */
  readonly isStored?: boolean;
  /** Selects of later queries see the rows as `part_0`, `part_1`, ... @param excluded those parts of the ranges */
  select(sources: Sources, excluded: readonly Range[]): SQL;
  /** @param rows the result of the select, as JSON, unchecked. @param stored the histograms from memory */
  answer(rows: readonly Row[], stored: Stored, excluded: readonly Range[]): Answer | Promise<Answer>;
}

type AnyRollupQuery = RollupQuery<unknown, unknown>;
export type RollupQueries<Answers extends readonly unknown[]> = readonly [
  ...{ [Each in keyof Answers]: RollupQuery<unknown, Answers[Each]> },
];

export const nothingToRead = <Answer>(answer: Answer): RollupQuery<unknown, Answer> => ({
  ranges: [],
  usable: [],
  select: () => sql`select where false`,
  answer: () => answer,
});

export async function answer<Answer>(store: Store, query: RollupQuery<unknown, Answer>): Promise<Answer> {
  const [found] = await answerAll<[Answer]>(store, [query]);
  return found;
}

/**
 * Answers several queries from one snapshot, each from the cheapest sources that give an exact answer.
 *
 * The text of the statement depends on which buckets are valid, so it is planned with the state that earlier answers
 * saw. The statement reads the current state too, in its own snapshot. If the plan has read an invalid bucket, or other
 * annotations apply, the attempt is outdated.
 *
 * A snapshot for several statements would miss rows that TimescaleDB has moved to its columnstore since.
 */
export function answerAll<Answers extends readonly unknown[]>(
  store: Store,
  queries: RollupQueries<Answers>,
): Promise<Answers>;
export function answerAll(store: Store, queries: readonly AnyRollupQuery[]): Promise<readonly unknown[]> {
  return consistently(store, (each) => readAll(each, queries));
}

/** @throws Outdated unless this is the last attempt */
async function readAll(store: Store, queries: readonly AnyRollupQuery[]): Promise<readonly unknown[]> {
  const { rollups, assumed } = store;
  const isLast = assumed?.isLast === true;
  const check = await rollups.check();
  const isInUse = check.state === 'in use' && !isLast;
  const eligible = queries.map((each) =>
    isInUse && !isShort(spanOf(each.ranges)) ? each : { ...each, usable: [] },
  );
  // without rollups there is nothing to plan, but TimescaleDB may move points meanwhile
  const isPlanned = !isLast && (check.isHypertable || eligible.some(({ usable }) => usable.length > 0));
  const span = isPlanned ? spanOfAll(queries) : undefined;
  const planned = span && (await stateFor(store, span));
  const excluded = excludedOf(store);
  const whole = spanOfAll(queries);
  const history = isLast ? [whole] : rollups.memory.historyIn(whole);
  const plans = eligible.map((query) =>
    planOf({ ...query, ranges: countedIn(query, excluded) }, planned, history),
  );
  const found = await runStatement(store, queries, { plans, excluded }, check, span);
  const isNoted = await rollups.annotations.see(store.db, found.annotations);
  const state = span && stateOf(found.state);
  if (state) rollups.memory.remember(span, state);
  if (state && planned && !holds(plans, planned, state)) {
    assumed?.states.set(keyOf(span), state);
    throw new Outdated('The rollups have changed');
  }
  const gone = rangesIn(found.history);
  rollups.memory.rememberHistory(whole, gone);
  if (without(within(gone, whole), history).length > 0) throw new Outdated('Points have become history');
  if (!isLast && !(isNoted && annotationsOf(store).version === found.annotations))
    throw new Outdated('The periods or the exclusions have changed');
  if (gone.length > 0) await noteHistory(store, queries, gone);
  return answersOf(store, queries, found.parts, excluded);
}

const keyOf = ({ from, to }: Range) => `${from} ${to}`;

/** The state to plan with: what an earlier attempt or answer saw. */
const stateFor = async ({ db, rollups, assumed }: Store, span: Range) =>
  assumed?.states.get(keyOf(span)) ?? rollups.memory.recall(span) ?? readState(db, span);

async function answersOf(
  { db, rollups }: Store,
  queries: readonly AnyRollupQuery[],
  parts: readonly Part[],
  excluded: readonly Range[],
) {
  const answers: unknown[] = [];
  for (const [at, query] of queries.entries()) {
    const { rows = [], versions = [] } = parts[at] ?? {};
    answers.push(await query.answer(rows, rollups.histograms(db, versions), excluded));
  }
  return answers;
}

function countedIn({ ranges, among, wholeSeconds }: AnyRollupQuery, excluded: readonly Range[]) {
  if (among === 'all') return ranges;
  if (among === 'excluded') return common(ranges, excluded);
  if (excluded.length === 0) return ranges;
  const counted = without(ranges, excluded);
  return wholeSeconds === undefined ? counted : wholeBuckets(counted, wholeSeconds);
}

const spanOfAll = (queries: readonly AnyRollupQuery[]) =>
  spanOf(union(...queries.map(({ ranges }) => (ranges.length > 0 ? [spanOf(ranges)] : []))));

/**
 * Each rollup gets the ranges that the rollups before it leave. Without a state, all are read from the points.
 *
 * @param gone the days of history. Points that came later are read beside it, so that no minute counts twice as measured
 */
export function planOf(
  { ranges, usable, history = [] }: Pick<AnyRollupQuery, 'ranges' | 'usable' | 'history'>,
  state: RollupState | undefined,
  gone: readonly Range[] = [],
): Plan {
  let raw = ranges;
  const rollups = (state ? usable : []).map((rollup) => {
    const readable = without(raw, union(state ? unreadable(state, rollup) : [], gone));
    const whole = wholeBuckets(readable, rollup.seconds);
    if (whole.length > 0) raw = without(raw, whole);
    return { ...rollup, ranges: whole };
  });
  return { raw, rollups, history: planHistory(ranges, history, gone) };
}

/** A minute between two ranges belongs to the one in which it begins. One that an exclusion touches is left out. */
function planHistory(ranges: readonly Range[], lengths: readonly number[], gone: readonly Range[]) {
  let left = lengths.length > 0 ? common(wholeBuckets(union(ranges), 60), gone) : [];
  return lengths.map((minutes) => {
    const whole = minutes === 1 ? left : wholeBuckets(common(ranges, left), 60 * minutes);
    left = without(left, whole);
    return { minutes, ranges: whole };
  });
}

/** An end of a query lies within a minute of history. */
export class CutsHistory extends Error {
  readonly time: bigint;

  constructor(time: bigint) {
    super('An end lies within a minute of history');
    this.name = 'CutsHistory';
    this.time = time;
  }
}

const hasMinute = compile(
  sql<{ time: string }>`
  select time from unnest(${parameter('times')}::timestamptz[], ${parameter('texts')}::text[]) as ends (minute, time)
  where exists (select from ${tables.history} where minutes = 1 and bucket = minute)`,
  'history_minutes',
);

/** Notes that an answer read history. @throws CutsHistory */
async function noteHistory(
  { db, assumed }: Store,
  queries: readonly AnyRollupQuery[],
  gone: readonly Range[],
) {
  const spans = queries.filter(({ history }) => history).map(({ ranges }) => spanOf(ranges));
  if (assumed && common(union(spans), gone).length > 0) assumed.history.isRead = true;
  const ends = spans
    .flatMap(({ from, to }) => [from, to])
    .filter((end) => floorTo(end, MINUTE) !== end && isWithin(gone, end));
  if (ends.length === 0) return;
  const minutes = ends.map((end) => instantOfMicros(floorTo(end, MINUTE)));
  const [found] = await db.query(hasMinute, { times: `{${minutes.join()}}`, texts: `{${ends.join()}}` });
  if (found) throw new CutsHistory(BigInt(found.time));
}

const MINUTE = 60_000_000n;

/** Whether everything planned by one state is also valid in another. */
function holds(plans: readonly Plan[], planned: RollupState, state: RollupState): boolean {
  const isReadable = ({ ranges, ...rollup }: Plan['rollups'][number]) =>
    totalLength(without(ranges, unreadable(state, rollup))) === totalLength(ranges);
  return (
    [...state.chunks].every(([id, version]) => planned.chunks.get(id) === version) &&
    plans.every(({ rollups }) => rollups.every(isReadable))
  );
}

interface Part {
  readonly rows: readonly unknown[];
  readonly versions: Versions;
}

/**
 * Statements of short ranges have few distinct texts, so they get names, and a server parses each once per connection.
 * For longer ranges, a connection would keep a megabyte for each way to split a range.
 *
 * @param span also reads the state of the rollups in this range
 */
async function runStatement(
  { db }: Store,
  queries: readonly AnyRollupQuery[],
  { plans, excluded }: { plans: readonly Plan[]; excluded: readonly Range[] },
  { isHypertable }: Check,
  span?: Range,
): Promise<{ parts: readonly Part[]; annotations: string; history: string | null; state: StateRow }> {
  const parts = queries.map((query, at) => {
    const sources = sourcesOf(plans[at] ?? { raw: [], rollups: [] }, isHypertable, query.isStored ?? false);
    const name = sql.raw(`part_${at}`);
    return {
      rows: sql`${name} as materialized (${query.select(sources, excluded)})`,
      json: sql`json_build_object('rows', (select coalesce(json_agg(${name}), '[]') from ${name}),
      'versions', ${versionsOf(sources.stored)})`,
    };
  });
  const [rows, json] = [parts.map(({ rows }) => rows), parts.map(({ json }) => json)];
  const select = sql<
    StateRow & { parts: readonly Part[]; annotations: string; history: string | null }
  >`with ${sql.join(rows, sql`, `)}
  select json_build_array(${sql.join(json, sql`, `)}) as parts, ${annotationsVersion} as annotations,
    ${historyIn(spanOfAll(queries))} as history`;
  const { statement, values } = compileWithValues(span ? withState(select, span) : select);
  const name = createHash('md5').update(statement.text).digest('base64url');
  const named = isShort(spanOfAll(queries)) && { name: `statistics_${name}` };
  const [row] = await db.query({ ...statement, ...named, label: 'statistics' }, values);
  if (!row) throw new Error('The statistics statement returned no row');
  return { parts: row.parts, annotations: row.annotations, history: row.history, state: row };
}
