// Answers from rollups where their buckets are fresh, and from the points elsewhere. The answer is what all the
// points give, the last digits of leq_db aside.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SQL } from 'drizzle-orm';
import { microsOf } from '../contract/instant.ts';
import { compile } from '../db/compile.ts';
import { NotMigrated } from '../db/faults.ts';
import { freshRanges, type Range, type RollupState, withState } from '../timescale/internal-catalog.ts';
import { type Resolution, type RollupKey, rollupName } from '../timescale/rollups.ts';
import type { Store } from '../timescale/rollups-in-use.ts';
import { isShort, type Sources, sourcesOf } from './algebra.ts';
import { splitInterval } from './split-interval.ts';

/** A bucket saves milliseconds of scanning. With more pieces than this, planning costs more. */
const MOST_PIECES = 200;

/** An attempt fails where a bucket turns stale meanwhile, a refresh stores, or a chunk is made, moved or dropped. */
const ATTEMPTS = 3;

/** Buckets of one length, and which rollups must hold them. */
export interface Usable {
  readonly resolution: Resolution;
  readonly seconds: number;
  readonly keys: readonly RollupKey[];
}

/**
 * Runs a select of statistics on the cheapest sources that give the exact answer.
 *
 * Which buckets are fresh must be known before the statement can be written. So that is asked first. The statement
 * asks it once more, because one statement sees one state of the database. Where the pieces would now be others,
 * the answer is thrown away.
 *
 * A snapshot for both would not do: it misses the rows that TimescaleDB has moved to its columnstore since.
 *
 * @param build gives the select that answers from given sources
 * @param usable the rollups that it can answer from, coarsest first
 * @returns the rows of the select
 */
export async function answerFrom<Row>(
  store: Store,
  interval: { from: string; to: string },
  build: (sources: Sources) => SQL,
  usable: readonly Usable[],
): Promise<Row[]> {
  const range = { from: microsOf(interval.from), to: microsOf(interval.to) };
  if (await store.rollups.inUse()) {
    const rows = await composed<Row>(store, range, build, isShort(range) ? [] : usable).catch(unlessMissing);
    if (rows) return rows;
  }
  // here TimescaleDB itself must see to chunks that change between its plan and the state that it reads
  return ask<Row>(store.db, range, build(sourcesOf([{ source: 'raw', ...range }])));
}

/** @returns the rows; undefined where the plan was outdated at every attempt */
async function composed<Row>(
  { db, rollups }: Store,
  range: Range,
  build: (sources: Sources) => SQL,
  usable: readonly Usable[],
): Promise<Row[] | undefined> {
  const plan = (state: RollupState) => {
    const held = usable.map(({ resolution, seconds, keys }) => {
      const names = keys.map((key) => rollupName(key, resolution));
      return { resolution, seconds, fresh: freshRanges(state, names) };
    });
    return { pieces: splitInterval(range, held, MOST_PIECES), chunks: state.chunks };
  };
  let planned = plan(await rollups.recentState(usable.length > 0));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const query = withState(build(sourcesOf(planned.pieces)), usable.length > 0);
    const [answer] = await ask<RollupState & { rows: Row[] }>(db, range, query);
    if (!answer) throw new Error('The statement of statistics gave no row');
    const { rows, ...state } = answer;
    rollups.remember(state);
    const now = plan(state);
    if (isDeepStrictEqual(planned, now)) return rows;
    planned = now;
  }
  return undefined;
}

/** A time as algebra.ts writes it. */
const TIME = /'([-:.TZ\d]+)'::timestamptz/g;

/**
 * Asks with the times as parameters. Short questions then have few texts, and get names: the server parses each once
 * for each connection, and keeps it. Of longer ones it would keep a megabyte for each way to split a window.
 */
function ask<Row>(db: Store['db'], range: Range, query: SQL): Promise<Row[]> {
  const times = new Map<string, number>();
  const text = compile(query).text.replace(TIME, (_, time) => {
    if (!times.has(time)) times.set(time, times.size + 1);
    return `$${times.get(time)}::timestamptz`;
  });
  const parameters = [...times.values()].map(String);
  const values = Object.fromEntries([...times].map(([time, place]) => [String(place), time]));
  const name = createHash('md5').update(text).digest('base64url');
  const kept = isShort(range) && { name: `statistics_${name}` };
  return db.query<Row>({ ...kept, label: 'statistics', text, parameters }, values);
}

/** Somebody may drop a rollup meanwhile: the points still answer. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof NotMigrated)) throw error;
}
