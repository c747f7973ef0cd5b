// Plans and runs queries for statistics: reads rollups where their buckets are fresh, and the points elsewhere.
// What it gives adds up to what all the points give, except for the last digits of sums of floats.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Interval, microsOf, type Range } from '../contract/instant.ts';
import { compileWithValues } from '../db/compile.ts';
import { type SQL, sql } from '../db/drizzle.ts';
import { NotMigrated } from '../db/faults.ts';
import { type RollupKey, resolutionsOf, rollupName } from '../db/rollups.ts';
import { type StoredSum, type Versions, versionsOf } from './histogram-cache.ts';
import { freshRanges, type RollupState, withState } from './rollup-state.ts';
import { type Sources, sourcesOf, type UsableRollup } from './source-scans.ts';
import { cutAt, splitRanges } from './split-interval.ts';
import type { Store } from './store.ts';

/** More pieces than this take longer to plan than their rollups save. */
const MOST_PIECES = 200;

/** An attempt fails if meanwhile a bucket turns stale, a refresh stores, or a chunk is made, moved or dropped. */
const ATTEMPTS = 3;

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

/** What adds up to an answer. */
export interface Parts<Row> {
  readonly rows: readonly Row[];
  /** The sums of the cached buckets. */
  readonly stored: readonly StoredSum[];
}

/**
 * Reads the cheapest sources that give the exact answer.
 *
 * The text of the statement depends on which buckets are fresh, so that is read first. The statement reads it again,
 * because only one statement sees one state of the database. If the pieces would now differ, the answer is dropped.
 *
 * A snapshot for both would not do: it misses the rows that TimescaleDB has moved to its columnstore since.
 *
 * @returns rows that are not checked: `Row` is what the query selects, as JSON
 */
export async function readParts<Row>(
  store: Store,
  interval: Interval,
  query: PartsQuery,
): Promise<Parts<Row>> {
  const range = { from: microsOf(interval.from), to: microsOf(interval.to) };
  const usable = !isShort(range) && (await store.rollups.inUse()) ? query.usable : [];
  // without usable rollups there is nothing to plan, but TimescaleDB may move the points meanwhile
  if (usable.length > 0 || (await store.rollups.timescaledb())) {
    const parts = await readFresh<Row>(store, range, { ...query, usable }).catch(unlessMissing);
    if (parts) return parts;
  }
  // not checked against the chunks: where one moves meanwhile, this is as good as TimescaleDB makes it
  const select = statementOf(query, sourcesOf([{ source: 'raw', ...range }], []), sourcesOf([], []));
  const { rows } = await runStatement<StatementRow<Row>>(store, range, select);
  return { rows, stored: [] };
}

/** @returns undefined if every attempt found its plan outdated */
async function readFresh<Row>(
  store: Store,
  range: Range,
  query: PartsQuery,
): Promise<Parts<Row> | undefined> {
  const { rollups } = store;
  const { usable, within = [], cuts = [], groupOf = () => 0 } = query;
  const ofTotals = usable.filter(({ key }) => key === 'total').map(({ resolution }): string => resolution);
  const plan = (state: RollupState) => {
    const held = (some: readonly UsableRollup[]) =>
      some.map(({ resolution, seconds, key }) => {
        return { resolution, seconds, fresh: freshRanges(state, rollupName(key, resolution)) };
      });
    const pieces = splitRanges(cutAt(range, cuts), held(usable), MOST_PIECES);
    const totals = pieces.filter(({ source }) => ofTotals.includes(source));
    return { pieces, within: splitRanges(totals, held(within), MOST_PIECES), chunks: state.chunks };
  };
  const timescaledb = await rollups.timescaledb();
  let planned = plan(await rollups.recentState(usable.length > 0));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const sources = sourcesOf(planned.pieces, usable, timescaledb);
    const select = statementOf(query, sources, sourcesOf(planned.within, within, timescaledb));
    const answer = await runStatement<RollupState & StatementRow<Row>>(
      store,
      range,
      withState(select, usable.length > 0),
    );
    const { rows, versions, ...state } = answer;
    rollups.remember(state);
    const now = plan(state);
    if (isDeepStrictEqual(planned, now)) {
      const stored = await rollups.histograms.read(versions, groupOf);
      if (stored) return { rows, stored };
    }
    planned = now;
  }
  return undefined;
}

/** The one row that a statement of statistics gives. */
interface StatementRow<Row> {
  readonly rows: readonly Row[];
  readonly versions: Versions;
}

function statementOf(query: PartsQuery, sources: Sources, within: Sources): SQL {
  return sql`
  select (select coalesce(json_agg(part), '[]') from (${query.select(sources, within)}) as part) as rows,
    ${versionsOf(sources.cached)} as versions`;
}

/**
 * Statements of short ranges have few texts, so they get names: the server parses each once a connection and keeps it.
 * Of longer ones it would keep a megabyte for each way to split one.
 */
async function runStatement<Row>({ db }: Store, range: Range, select: SQL): Promise<Row> {
  const { statement, values } = compileWithValues(select);
  const name = createHash('md5').update(statement.text).digest('base64url');
  const named = isShort(range) && { name: `statistics_${name}` };
  const [row] = await db.query<Row>({ ...statement, ...named, label: 'statistics' }, values);
  if (!row) throw new Error('The statement of statistics gave no row');
  return row;
}

/** If somebody drops a rollup meanwhile, the points still answer. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof NotMigrated)) throw error;
}
