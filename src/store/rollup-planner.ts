// Plans and runs queries for statistics: reads rollups where their buckets may be read, and the points elsewhere.
// What it gives adds up to what all the points give, except for the last digits of sums of floats.
import { createHash } from 'node:crypto';
import { type Interval, microsOf, type Range } from '../contract/instant.ts';
import { compileWithValues } from '../db/compile.ts';
import { type SQL, sql } from '../db/drizzle.ts';
import { NotMigrated } from '../db/faults.ts';
import { type RollupKey, resolutionsOf } from '../db/rollups.ts';
import { type StoredSum, type Versions, versionsOf } from './histogram-cache.ts';
import { PERIODS_VERSION } from './period-memory.ts';
import { askState, type RollupState, type StateRow, stateOf, unreadable, withState } from './rollup-state.ts';
import { type Sources, sourcesOf, type UsableRollup } from './source-scans.ts';
import { cutAt, type Piece, splitRanges } from './split-interval.ts';
import type { Store } from './store.ts';

/** More pieces than this take longer to plan than their rollups save. */
const MOST_PIECES = 200;

/** An attempt fails if its plan was by an outdated state: a bucket changed, a chunk was made, moved or dropped. */
const ATTEMPTS = 4;

/** Whether the points of a range answer as fast as rollups: up to ten minutes they do. */
const isShort = ({ from, to }: Range) => to - from <= 600_000_000n;

/** The rollups of one kind, longest buckets first. Only histograms can be cached. */
export function usableRollups(key: RollupKey, isCached = false): UsableRollup[] {
  return resolutionsOf(key).map(({ name: resolution, seconds }) => ({ resolution, seconds, key, isCached }));
}

/** What to read of the points, and of rollups where these are fresh. */
export interface PartsQuery {
  /**
   * The select of the parts from given sources, apart from those that are cached.
   *
   * @param within the sources of `within`
   */
  select(sources: Sources, within: Sources): SQL;
  /** The rollups that it can read, longest buckets first. */
  readonly usable: readonly UsableRollup[];
  /** Read where buckets of totals are read, for what these lack: these rollups where they are fresh, else the points. */
  readonly within?: readonly UsableRollup[];
  /** Instants that divide no bucket which is read, in microseconds since 1970, in order. */
  readonly cuts?: readonly bigint[];
  /** The group of the cached bucket that starts at a time; by default all are one group. */
  groupOf?(start: number): number;
}

/** A query for the parts of an interval: a type that says what its rows are. */
export interface PartsOf<Row> extends PartsQuery {
  readonly interval: Interval;
  /** Never there: of the rows that the select gives, as JSON. They are not checked. */
  readonly row?: Row;
}

/** What adds up to an answer. */
export interface Parts<Row> {
  readonly rows: readonly Row[];
  /** The sums of the cached buckets. */
  readonly stored: readonly StoredSum[];
}

/** What a query reads, and what its parts say; nothing is read for null. */
export interface Question<Row, Answer> {
  readonly query: PartsOf<Row> | null;
  answer(parts: Parts<Row>): Answer;
}

/** Answers two questions from one snapshot. */
export async function answerBoth<RowA, A, RowB, B>(
  store: Store,
  one: Question<RowA, A>,
  other: Question<RowB, B>,
): Promise<[A, B]> {
  const none = { rows: [], stored: [] };
  if (one.query && other.query) {
    const [a, b] = await readAll<[RowA, RowB]>(store, [one.query, other.query]);
    return [one.answer(a), other.answer(b)];
  }
  const [a] = one.query ? await readAll<[RowA]>(store, [one.query]) : [none];
  const [b] = other.query ? await readAll<[RowB]>(store, [other.query]) : [none];
  return [one.answer(a), other.answer(b)];
}

/** The parts of one query. @see readAll */
export async function readParts<Row>(
  store: Store,
  interval: Interval,
  query: PartsQuery,
): Promise<Parts<Row>> {
  const [parts] = await readAll<[Row]>(store, [{ ...query, interval }]);
  return parts;
}

/** Where a query reads its parts. */
interface Plan {
  readonly pieces: readonly Piece[];
  readonly within: readonly Piece[];
}

/**
 * Reads the cheapest sources that give the exact answers of some queries, all from one snapshot.
 *
 * The text of the statement depends on which buckets may be read. It is planned by what earlier answers saw of that,
 * and reads it too: only one statement sees one state of the database. If the plan reads what may not be read, the
 * answer is dropped, and the question is put again, planned by the state that was seen.
 *
 * A snapshot for several statements would not do: it misses the rows that TimescaleDB has moved to its columnstore since.
 */
export async function readAll<Rows extends readonly unknown[]>(
  store: Store,
  queries: readonly [...{ [Each in keyof Rows]: PartsOf<Rows[Each]> }],
): Promise<{ [Each in keyof Rows]: Parts<Rows[Each]> }>;
export async function readAll(
  store: Store,
  queries: readonly PartsOf<unknown>[],
): Promise<readonly Parts<unknown>[]> {
  const inUse = await store.rollups.inUse();
  const isHypertable = await store.rollups.isHypertable();
  const asked = queries.map(({ interval, ...query }) => {
    const range = { from: microsOf(interval.from), to: microsOf(interval.to) };
    return { ...query, range, usable: inUse && !isShort(range) ? query.usable : [] };
  });
  // without usable rollups there is nothing to plan, but TimescaleDB may move the points meanwhile
  if (isHypertable || asked.some(({ usable }) => usable.length > 0)) {
    const parts = await readFresh(store, asked, isHypertable).catch(unlessMissing);
    if (parts) return parts;
  }
  // not checked against the chunks: if one moves meanwhile, this is as good as TimescaleDB makes it
  const plans = asked.map(({ range }): Plan => ({ pieces: [{ source: 'raw', ...range }], within: [] }));
  for (let attempt = 1; ; attempt++) {
    const { answers, periods } = await runStatement(store, asked, plans, isHypertable, false);
    if ((await store.rollups.periods.see(periods)) || attempt === ATTEMPTS)
      return answers.map(({ rows }) => ({ rows, stored: [] }));
  }
}

type Asked = PartsQuery & { readonly range: Range };

/** @returns undefined if every attempt found its plan outdated */
async function readFresh(
  store: Store,
  queries: readonly Asked[],
  isHypertable: boolean,
): Promise<Parts<unknown>[] | undefined> {
  const { memory, histograms } = store.rollups;
  const whole = spanOf(queries);
  let state = memory.recall(whole) ?? (await askState(store.db, whole));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const planned = state;
    const plans = queries.map((query) => planOf(query, planned));
    const found = await runStatement(store, queries, plans, isHypertable, true);
    state = stateOf(found.state);
    memory.remember(whole, state);
    const holds =
      isSameStorage(planned, state) && queries.every((query, at) => isReadable(query, plans[at], state));
    if (!holds || !(await store.rollups.periods.see(found.periods))) continue;
    const parts: Parts<unknown>[] = [];
    for (const [at, { groupOf = () => 0 }] of queries.entries()) {
      const { rows = [], versions = {} } = found.answers[at] ?? {};
      const stored = await histograms.read(versions, groupOf);
      if (stored) parts.push({ rows, stored });
    }
    if (parts.length === queries.length) return parts;
  }
  return undefined;
}

function spanOf(queries: readonly Asked[]): Range {
  const [first, ...others] = queries.map(({ range }) => range);
  if (!first) throw new Error('There is no query');
  return others.reduce(
    (span, { from, to }) => ({ from: from < span.from ? from : span.from, to: to > span.to ? to : span.to }),
    first,
  );
}

function planOf({ range, usable, within = [], cuts = [] }: Asked, state: RollupState): Plan {
  const held = (some: readonly UsableRollup[]) =>
    some.map(({ resolution, seconds, key }) => {
      return { resolution, seconds, unreadable: unreadable(state, key, seconds) };
    });
  const pieces = splitRanges(cutAt(range, cuts), held(usable), MOST_PIECES);
  const ofTotals = usable.filter(({ key }) => key === 'total').map(({ resolution }): string => resolution);
  const totals = pieces.filter(({ source }) => ofTotals.includes(source));
  return { pieces, within: splitRanges(totals, held(within), MOST_PIECES) };
}

/** Whether all buckets that a plan reads could be read. */
function isReadable({ usable, within = [] }: Asked, plan: Plan | undefined, state: RollupState): boolean {
  const check = (rollups: readonly UsableRollup[], pieces: readonly Piece[] = []) =>
    rollups.every(({ resolution, key, seconds }) => {
      const read = pieces.filter(({ source }) => source === resolution);
      return read.length === 0 || areApart(read, unreadable(state, key, seconds));
    });
  return check(usable, plan?.pieces) && check(within, plan?.within);
}

/** Whether no range of one list touches one of the other; both are in order. */
function areApart(some: readonly Range[], others: readonly Range[]): boolean {
  let at = 0;
  return some.every(({ from, to }) => {
    while ((others[at]?.to ?? to) <= from) at++;
    return (others[at]?.from ?? to) >= to;
  });
}

/** Whether every chunk is stored as it was when the statement was planned. */
const isSameStorage = (planned: RollupState, { chunks }: RollupState) =>
  [...chunks].every(([id, version]) => planned.chunks.get(id) === version);

/** What a statement of statistics gives of one query. */
interface Answer {
  readonly rows: readonly unknown[];
  readonly versions: Versions;
}

/**
 * Statements of short ranges have few texts, so they get names: the server parses each once a connection and keeps it.
 * Of longer ones it would keep a megabyte for each way to split one.
 */
async function runStatement(
  { db }: Store,
  queries: readonly Asked[],
  plans: readonly Plan[],
  isHypertable: boolean,
  needsState: boolean,
): Promise<{ answers: readonly Answer[]; periods: string; state: StateRow }> {
  const answers = queries.map(({ select, usable, within = [] }, at) => {
    const { pieces = [], within: piecesWithin = [] } = plans[at] ?? {};
    const sources = sourcesOf(pieces, usable, isHypertable);
    return sql`json_build_object(
      'rows', (select coalesce(json_agg(part), '[]') from (${select(sources, sourcesOf(piecesWithin, within, isHypertable))}) as part),
      'versions', ${versionsOf(sources.cached)})`;
  });
  const select = sql`select json_build_array(${sql.join(answers, sql`, `)}) as answers, ${PERIODS_VERSION} as periods`;
  const { statement, values } = compileWithValues(needsState ? withState(select, spanOf(queries)) : select);
  const name = createHash('md5').update(statement.text).digest('base64url');
  const named = queries.every(({ range }) => isShort(range)) && { name: `statistics_${name}` };
  const [row] = await db.query<StateRow & { answers: readonly Answer[]; periods: string }>(
    { ...statement, ...named, label: 'statistics' },
    values,
  );
  if (!row) throw new Error('The statement of statistics gave no row');
  return { answers: row.answers, periods: row.periods, state: row };
}

/** If somebody drops a rollup meanwhile, the points still answer. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof NotMigrated)) throw error;
}
