// What an answer from rollups depends on (audio_data_rollup_state in drizzle/0003), and what is remembered of it.
import { instantOfMicros, type Range } from '../contract/instant.ts';
import { compileWithValues } from '../db/compile.ts';
import type { Database } from '../db/database.ts';
import { type SQL, sql } from '../db/drizzle.ts';
import type { RollupKey } from '../db/rollups.ts';

/** The state as a statement gives it: ranges as PostgreSQL writes them, `{[1,5),[8,9)}`; null for none. */
export interface StateRow {
  readonly changed: string | null;
  readonly waiting: string | null;
  readonly sparse: string | null;
  readonly five_minutes_since: string | null;
  readonly chunks: string | null;
}

/** The buckets that an answer may not read, by why: see audio_data_notes. Ranges are in order. */
export interface RollupState {
  readonly changed: readonly Range[];
  readonly waiting: readonly Range[];
  readonly sparse: readonly Range[];
  /** Since when there are histograms of five minutes, in microseconds since 1970. */
  readonly fiveMinutesSince: bigint;
  /** By its number, which transaction last changed how a chunk is stored. */
  readonly chunks: ReadonlyMap<string, string>;
}

/** @returns the select of the {@link StateRow} of a range */
const stateIn = ({ from, to }: Range) =>
  sql`audio_data_rollup_state(${instantOfMicros(from)}::timestamptz, ${instantOfMicros(to)}::timestamptz)`;

export async function askState({ query }: Pick<Database, 'query'>, range: Range): Promise<RollupState> {
  const { statement, values } = compileWithValues(sql`select * from ${stateIn(range)}`);
  const [row] = await query<StateRow>({ ...statement, name: 'rollup_state' }, values);
  if (!row) throw new Error('The function audio_data_rollup_state gave no row');
  return stateOf(row);
}

/** @returns a select of the one row of `select` beside the {@link StateRow} of a range in the same snapshot */
export function withState(select: SQL, range: Range): SQL {
  return sql`select answer.*, state.* from (${select}) as answer, ${stateIn(range)} as state`;
}

export function stateOf({ changed, waiting, sparse, five_minutes_since, chunks }: StateRow): RollupState {
  return {
    changed: rangesIn(changed),
    waiting: rangesIn(waiting),
    sparse: rangesIn(sparse),
    fiveMinutesSince: BigInt(five_minutes_since ?? MAX_INT8),
    chunks: new Map(
      (chunks ?? '').split(',').flatMap((chunk) => {
        const [id = '', version = ''] = chunk.split(' ');
        return id ? [[id, version] as const] : [];
      }),
    ),
  };
}

function rangesIn(text: string | null): Range[] {
  const bounds = [...(text ?? '').matchAll(/[[(](-?\d*),(-?\d*)\)/g)];
  return bounds.map(([, from, to]) => ({ from: BigInt(from || MIN_INT8), to: BigInt(to || MAX_INT8) }));
}

const [MIN_INT8, MAX_INT8] = ['-9223372036854775808', '9223372036854775807'];

/** @returns the ranges in which buckets of one kind and length may not be read, in order */
export function unreadable(state: RollupState, key: RollupKey, seconds: number): readonly Range[] {
  const early = { from: BigInt(MIN_INT8), to: state.fiveMinutesSince };
  return union([
    state.changed,
    seconds > 1800 ? state.waiting : [],
    seconds < 86_400 ? state.sparse : [],
    key === 'histogram' && seconds === 300 ? [early] : [],
  ]);
}

/** Joins lists of ranges to one list in order, in which no two touch. */
function union(lists: readonly (readonly Range[])[]): readonly Range[] {
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length < 2) return filled[0] ?? [];
  const all = filled.flat().sort((a, b) => (a.from < b.from ? -1 : 1));
  const joined: Range[] = [];
  for (const range of all) {
    const last = joined.at(-1);
    if (!last || last.to < range.from) joined.push(range);
    else if (last.to < range.to) joined[joined.length - 1] = { from: last.from, to: range.to };
  }
  return joined;
}

/** Points of so long ago may not be counted yet. */
const RECENT_MICROS = 150_000_000n;

/** What was stale is likely counted by then: without asking again, a plan might read a month of points in vain. */
const STALE_MS = 5000;

/** More ranges than this are not remembered: the next question begins without. */
const MOST_REMEMBERED = 10_000;

/**
 * Remembers the states that answers saw, so that the next question can be planned without asking first. A plan by what
 * is remembered may be outdated: the answer says so, and the question is put again.
 */
export function createStateMemory(clock: () => number = Date.now) {
  let learnedAt = 0;
  let known: RollupState = {
    changed: [],
    waiting: [],
    sparse: [],
    fiveMinutesSince: 0n,
    chunks: new Map(),
  };
  return {
    /** @returns what is likely to hold in a range; undefined if that is better asked */
    recall(range: Range): RollupState | undefined {
      const recent = { from: BigInt(clock()) * 1000n - RECENT_MICROS, to: BigInt(MAX_INT8) };
      const changed = without(within(known.changed, range), recent);
      if (changed.length > 0 && clock() - learnedAt > STALE_MS) return undefined;
      return {
        ...known,
        changed: union([changed, [recent]]),
        waiting: within(known.waiting, range),
        sparse: within(known.sparse, range),
      };
    },
    /** @param state what an answer saw of a range */
    remember(range: Range, state: RollupState): void {
      const learned = (before: readonly Range[], now: readonly Range[]) => {
        const all = union([without(before, range), within(now, range)]);
        return all.length > MOST_REMEMBERED ? [] : all;
      };
      learnedAt = clock();
      known = {
        changed: learned(known.changed, state.changed),
        waiting: learned(known.waiting, state.waiting),
        sparse: learned(known.sparse, state.sparse),
        fiveMinutesSince: state.fiveMinutesSince,
        chunks:
          known.chunks.size > MOST_REMEMBERED ? state.chunks : new Map([...known.chunks, ...state.chunks]),
      };
    },
  };
}

export type StateMemory = ReturnType<typeof createStateMemory>;

/** The parts of some ranges in another. */
function within(ranges: readonly Range[], { from, to }: Range): Range[] {
  return ranges
    .filter((range) => range.from < to && range.to > from)
    .map((range) => ({ from: max(range.from, from), to: min(range.to, to) }));
}

/** The parts of some ranges outside another. */
function without(ranges: readonly Range[], { from, to }: Range): Range[] {
  return ranges
    .flatMap((range) => [
      { from: range.from, to: min(range.to, from) },
      { from: max(range.from, to), to: range.to },
    ])
    .filter((range) => range.from < range.to);
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);
