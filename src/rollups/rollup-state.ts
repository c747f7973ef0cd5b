// Reads the state that decides whether rollups are valid (audio_data_rollup_state in drizzle/0003), and remembers it.
import { instantOfMicros, type Range } from '../contract/instant.ts';
import { ALWAYS, union, within, without } from '../contract/ranges.ts';
import type { Queries } from '../database/database.ts';
import { compileWithValues, type SQL, sql } from '../database/drizzle.ts';
import type { Rollup } from '../database/rollups.ts';
import { stationSchema, tables } from '../database/schema.ts';

/** Why buckets may be invalid: see audio_data_notes. */
const KINDS = ['changed', 'waiting', 'sparse'] as const;
type Kind = (typeof KINDS)[number];

/** The state as a statement returns it: ranges in PostgreSQL's notation, `{[1,5),[8,9)}`; null for none. */
export interface StateRow extends Readonly<Record<Kind, string | null>> {
  readonly chunks: string | null;
}

/** The ranges with invalid buckets, by the reason. */
export interface RollupState extends Readonly<Record<Kind, readonly Range[]>> {
  /** The last transaction that changed how a chunk is stored, by the number of the chunk. */
  readonly chunks: ReadonlyMap<string, string>;
}

/** A statement saw other rollups, periods, exclusions or points than its answer assumed. */
export class Outdated extends Error {}

/** @returns the select of the {@link StateRow} of a range */
const stateIn = ({ from, to }: Range) =>
  sql`${stationSchema}.audio_data_rollup_state(${instantOfMicros(from)}::timestamptz, ${instantOfMicros(to)}::timestamptz)`;

export async function readState({ query }: Queries, range: Range): Promise<RollupState> {
  const { statement, values } = compileWithValues(
    sql<StateRow>`select state.* from ${tables.refreshes}, ${stateIn(range)} as state`,
  );
  const [row] = await query({ ...statement, name: 'rollup_state' }, values);
  if (!row) throw new Error('The function audio_data_rollup_state returned no row');
  return stateOf(row);
}

/**
 * @returns the days of a range with points that became history (drizzle/0011), as ranges in PostgreSQL's notation; null
 *   without any
 */
export const historyIn = ({ from, to }: Range) =>
  sql`${stationSchema}.audio_data_history_days(${instantOfMicros(from)}::timestamptz, ${instantOfMicros(to)}::timestamptz)`;

/** @returns a select of the one row of `select` and the {@link StateRow} of a range, in the same snapshot */
export const withState = <Row>(select: SQL<Row>, range: Range): SQL<Row & StateRow> =>
  sql<Row & StateRow>`select answer.*, state.* from (${select}) as answer, ${stateIn(range)} as state`;

export const stateOf = ({ chunks, ...noted }: StateRow): RollupState => ({
  ...ofEachKind((kind) => rangesIn(noted[kind])),
  chunks: new Map(
    Array.from(
      (chunks ?? '').matchAll(/(\d+) (\d+)/g),
      ([, id = '', version = '']) => [id, version] as const,
    ),
  ),
});

const ofEachKind = (of: (kind: Kind) => readonly Range[]) => ({
  changed: of('changed'),
  waiting: of('waiting'),
  sparse: of('sparse'),
});

export function rangesIn(text: string | null): Range[] {
  const bounds = [...(text ?? '').matchAll(/[[(](-?\d*),(-?\d*)\)/g)];
  return bounds.map(([, from, to]) => ({ from: BigInt(from || ALWAYS.from), to: BigInt(to || ALWAYS.to) }));
}

/** @returns the ranges in which buckets of a rollup are invalid */
export const unreadable = (state: RollupState, { key, seconds }: Rollup): readonly Range[] =>
  union(
    state.changed,
    seconds > 1800 ? state.waiting : [],
    seconds === 86_400 || (seconds === 3600 && key === 'total') ? [] : state.sparse,
  );

/** Points younger than this might not be counted yet. */
const RECENT_MICROS = 150_000_000n;

/** How long a plan is reused. Later, its stale buckets may be fresh, and it would read a month of points in vain. */
const STALE_MS = 5000;

/** With more ranges than this, the state is not remembered: the next query plans without it. */
const MOST_REMEMBERED = 10_000;

/**
 * Remembers the states that answers saw, so that the next query can be planned without reading the state first. If
 * the plan is outdated, the statement shows it and the query is retried.
 */
export function createStateMemory(clock: () => number = Date.now) {
  let learnedAt: number | undefined;
  let known: RollupState = { ...ofEachKind(() => []), chunks: new Map() };
  let history: readonly Range[] = [];
  return {
    /** @returns the likely state of a range; undefined if a query should read the state */
    recall(range: Range): RollupState | undefined {
      if (learnedAt === undefined) return undefined;
      const recent = [{ from: BigInt(clock()) * 1000n - RECENT_MICROS, to: ALWAYS.to }];
      const changed = without(within(known.changed, range), recent);
      if (changed.length > 0 && clock() - learnedAt > STALE_MS) return undefined;
      return { ...known, changed: union(changed, recent) };
    },
    /** The days of a range that were history when last seen. */
    historyIn: (range: Range): readonly Range[] => within(history, range),
    rememberHistory(range: Range, seen: readonly Range[]): void {
      if (history.length + seen.length > 0) history = union(without(history, [range]), within(seen, range));
    },
    /** @param state what an answer saw of a range */
    remember(range: Range, state: RollupState): void {
      const before = known;
      const chunks = new Map([...before.chunks, ...state.chunks]);
      learnedAt = clock();
      known = {
        ...ofEachKind((kind) => {
          const all = union(without(before[kind], [range]), within(state[kind], range));
          return all.length > MOST_REMEMBERED ? [] : all;
        }),
        chunks: chunks.size > MOST_REMEMBERED ? state.chunks : chunks,
      };
    },
  };
}
