// Answers from rollups where their buckets are fresh, and from the points elsewhere. The answer is what all the
// points give, the last digits of leq_db aside.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SQL } from 'drizzle-orm';
import { microsOf } from '../../contract/instant.ts';
import { compile } from '../../db/compile.ts';
import { NotMigrated } from '../../db/faults.ts';
import { type Bucket, bucketOf } from '../../timescale/buckets.ts';
import type { StoredSum } from '../../timescale/histograms.ts';
import { freshRanges, type Range, type RollupState, withState } from '../../timescale/internal-catalog.ts';
import { type Resolution, type RollupKey, resolutionsOf, rollupName } from '../../timescale/rollups.ts';
import type { Store } from '../../timescale/rollups-in-use.ts';
import type { Answer, Part } from './algebra.ts';
import { isShort, type Sources, sourcesOf } from './sources.ts';
import { splitInterval } from './split-interval.ts';

/** A bucket saves milliseconds of scanning. With more pieces than this, planning costs more. */
const MOST_PIECES = 200;

/** An attempt fails where a bucket turns stale meanwhile, a refresh stores, or a chunk is made, moved or dropped. */
const ATTEMPTS = 3;

/** Buckets of one length, and the rollup that holds them. */
export interface Usable {
  readonly resolution: Resolution;
  readonly seconds: number;
  readonly key: RollupKey;
}

/** The rollups of one kind, coarsest first. */
export function usableOf(key: RollupKey): Usable[] {
  return resolutionsOf(key).map(({ name: resolution, seconds }) => ({ resolution, seconds, key }));
}

export interface Question<Figures, Given = Part> {
  /** The select that gives an {@link Answer} from given sources. */
  select(sources: Sources): SQL;
  /** The rollups that it can answer from, coarsest first. */
  readonly usable: readonly Usable[];
  /** Whether its select holds what a caller chose: the server keeps none of so many texts. */
  readonly isUnnamed?: boolean;
  /** What histograms are added up to; all together where it is not given. */
  groupOf?(start: number): number;
  finish(found: Found<Given>): Figures;
}

/** What there is to add up: an {@link Answer}, and the histograms of which it gave the versions. */
export interface Found<Given = Part> {
  readonly parts: readonly Given[];
  readonly points: readonly Bucket[];
  readonly stored: readonly StoredSum[];
}

/**
 * Answers from the cheapest sources that give the exact answer.
 *
 * Which buckets are fresh must be known before the statement can be written. So that is asked first. The statement
 * asks it once more, because one statement sees one state of the database. Where the pieces would now be others,
 * the answer is thrown away.
 *
 * A snapshot for both would not do: it misses the rows that TimescaleDB has moved to its columnstore since.
 */
export async function answerFrom<Figures, Given = Part>(
  store: Store,
  interval: { from: string; to: string },
  question: Question<Figures, Given>,
): Promise<Figures> {
  const range = { from: microsOf(interval.from), to: microsOf(interval.to) };
  if (await store.rollups.inUse()) {
    const usable = isShort(range) ? [] : question.usable;
    const figures = await composed(store, range, { ...question, usable }).catch(unlessMissing);
    if (figures) return figures;
  }
  // here TimescaleDB itself must see to chunks that change between its plan and the state that it reads
  const select = question.select(sourcesOf([{ source: 'raw', ...range }]));
  const { parts } = await ask<Answer<Given>>(store.db, isNamed(range, question), select);
  return question.finish({ parts: parts ?? [], points: [], stored: [] });
}

/** @returns undefined where the plan was outdated at every attempt */
async function composed<Figures, Given>(
  { db, rollups }: Store,
  range: Range,
  question: Question<Figures, Given>,
): Promise<Figures | undefined> {
  const { select, usable, groupOf = () => 0, finish } = question;
  const plan = (state: RollupState) => {
    const held = usable.map(({ resolution, seconds, key }) => {
      return { resolution, seconds, fresh: freshRanges(state, rollupName(key, resolution)) };
    });
    return { pieces: splitInterval(range, held, MOST_PIECES), chunks: state.chunks };
  };
  let planned = plan(await rollups.recentState(usable.length > 0));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const query = withState(select(sourcesOf(planned.pieces, rollups.schema())), usable.length > 0);
    const { parts, points, versions, ...state } = await ask<RollupState & Answer<Given>>(
      db,
      isNamed(range, question),
      query,
    );
    rollups.remember(state);
    const now = plan(state);
    if (isDeepStrictEqual(planned, now)) {
      const stored = await rollups.histograms.read(versions, groupOf);
      if (stored) return finish({ parts: parts ?? [], points: (points ?? []).map(bucketOf), stored });
    }
    planned = now;
  }
  return undefined;
}

/** A time as sources.ts writes it. */
const TIME = /'([-:.TZ\d]+)'::timestamptz/g;

/**
 * Short questions have few texts, and get names: the server parses each once for each connection, and keeps it. Of
 * longer ones it would keep a megabyte for each way to split a window.
 */
function isNamed(range: Range, { isUnnamed = false }: { isUnnamed?: boolean }): boolean {
  return isShort(range) && !isUnnamed;
}

/** Asks with the times as parameters. */
async function ask<Row>(db: Store['db'], named: boolean, query: SQL): Promise<Row> {
  const times = new Map<string, number>();
  const text = compile(query).text.replace(TIME, (_, time) => {
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

/** Somebody may drop a rollup meanwhile: the points still answer. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof NotMigrated)) throw error;
}
