// Plans and runs queries for statistics: reads rollups where their buckets are fresh, and the points elsewhere.
// The answer is the one that all the points give, except for the last digits of leq_db.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SQL } from 'drizzle-orm';
import { type Interval, microsOf } from '../contract/instant.ts';
import { compile } from '../db/compile.ts';
import { NotMigrated } from '../db/faults.ts';
import { type Resolution, type RollupKey, resolutionsOf, rollupName } from '../db/rollups.ts';
import { type HistogramTotals, histogramTotalsOf } from '../statistics/histogram.ts';
import { freshRanges, type Range, type RollupState, withState } from '../timescale/internal-catalog.ts';
import type { BucketPart, StatisticsRow } from './counted-points.ts';
import type { StoredSum } from './histogram-cache.ts';
import type { Store } from './rollups-in-use.ts';
import { isShort, type Sources, sourcesOf } from './source-scans.ts';
import { splitInterval } from './split-interval.ts';

/** A bucket saves milliseconds of scanning. Planning more pieces than this costs more. */
const MOST_PIECES = 200;

/** An attempt fails if meanwhile a bucket turns stale, a refresh stores, or a chunk is made, moved or dropped. */
const ATTEMPTS = 3;

/** A rollup that a query can read, and the length of its buckets. */
export interface UsableRollup {
  readonly resolution: Resolution;
  readonly seconds: number;
  readonly key: RollupKey;
}

/** The rollups of one kind, longest buckets first. */
export function usableRollups(key: RollupKey): UsableRollup[] {
  return resolutionsOf(key).map(({ name: resolution, seconds }) => ({ resolution, seconds, key }));
}

/** How some figures are made from the points, and from rollups where these are fresh. */
export interface RollupQuery<Figures, Given = BucketPart> {
  /** The select that gives a {@link StatisticsRow} from given sources. */
  select(sources: Sources): SQL;
  /** The rollups that it can read, longest buckets first. */
  readonly usable: readonly UsableRollup[];
  /** Whether its text depends on what a caller chose: the server then prepares none of so many texts. */
  readonly isUnnamed?: boolean;
  /** The group of the bucket of a histogram that starts at a time; by default all are one group. */
  groupOf?(start: number): number;
  finish(found: Summands<Given>): Figures;
}

/** What adds up to the figures: a {@link StatisticsRow}, and the histograms whose versions it gave. */
export interface Summands<Given = BucketPart> {
  readonly parts: readonly Given[];
  readonly points: readonly HistogramTotals[];
  readonly stored: readonly StoredSum[];
}

/**
 * Answers from the cheapest sources that give the exact answer.
 *
 * The text of the statement depends on which buckets are fresh, so that is read first. The statement reads it again,
 * because only one statement sees one state of the database. If the pieces would now differ, the answer is dropped.
 *
 * A snapshot for both would not do: it misses the rows that TimescaleDB has moved to its columnstore since.
 */
export async function answerFrom<Figures, Given = BucketPart>(
  store: Store,
  interval: Interval,
  query: RollupQuery<Figures, Given>,
): Promise<Figures> {
  const range = { from: microsOf(interval.from), to: microsOf(interval.to) };
  // of short ranges only TimescaleDB's state matters: it may move the points
  if ((await store.rollups.inUse()) && !(isShort(range) && store.rollups.schema() === undefined)) {
    const usable = isShort(range) ? [] : query.usable;
    const figures = await answerFromRollups(store, range, { ...query, usable }).catch(unlessMissing);
    if (figures) return figures;
  }
  // here TimescaleDB itself must handle chunks that change between its plan and the state that it reads
  const select = query.select(sourcesOf([{ source: 'raw', ...range }]));
  const { parts } = await ask<StatisticsRow<Given>>(store.db, isNamed(range, query), select);
  return query.finish({ parts: parts ?? [], points: [], stored: [] });
}

/** @returns undefined if every attempt found its plan outdated */
async function answerFromRollups<Figures, Given>(
  { db, rollups }: Store,
  range: Range,
  query: RollupQuery<Figures, Given>,
): Promise<Figures | undefined> {
  const { select, usable, groupOf = () => 0, finish } = query;
  const plan = (state: RollupState) => {
    const held = usable.map(({ resolution, seconds, key }) => {
      return { resolution, seconds, fresh: freshRanges(state, rollupName(key, resolution)) };
    });
    return { pieces: splitInterval(range, held, MOST_PIECES), chunks: state.chunks };
  };
  let planned = plan(await rollups.recentState(usable.length > 0));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const statement = withState(select(sourcesOf(planned.pieces, rollups.schema())), usable.length > 0);
    const { parts, points, versions, ...state } = await ask<RollupState & StatisticsRow<Given>>(
      db,
      isNamed(range, query),
      statement,
    );
    rollups.remember(state);
    const now = plan(state);
    if (isDeepStrictEqual(planned, now)) {
      const stored = await rollups.histograms.read(versions, groupOf);
      if (stored)
        return finish({ parts: parts ?? [], points: (points ?? []).map(histogramTotalsOf), stored });
    }
    planned = now;
  }
  return undefined;
}

/** A time as source-scans.ts writes it. */
const TIME = /'([-:.TZ\d]+)'::timestamptz/g;

/**
 * Queries of short intervals have few texts, so they get names: the server parses each once a connection and keeps it.
 * Of longer intervals it would keep a megabyte for each way to split one.
 */
function isNamed(range: Range, { isUnnamed = false }: { isUnnamed?: boolean }): boolean {
  return isShort(range) && !isUnnamed;
}

/** Runs a query with its times as parameters. */
async function ask<Row>(db: Store['db'], named: boolean, select: SQL): Promise<Row> {
  const times = new Map<string, number>();
  const text = compile(select).text.replace(TIME, (_, time) => {
    if (!times.has(time)) times.set(time, times.size + 1);
    return `$${times.get(time)}::timestamptz`;
  });
  const parameters = [...times.values()].map(String);
  const values = Object.fromEntries([...times].map(([time, place]) => [String(place), time]));
  const name = createHash('md5').update(text).digest('base64url');
  const kept = named && { name: `statistics_${name}` };
  const [row] = await db.query<Row>({ ...kept, label: 'statistics', text, parameters }, values);
  if (!row) throw new Error('The statement of statistics gave no row');
  return row;
}

/** If somebody drops a rollup meanwhile, the points still answer. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof NotMigrated)) throw error;
}
