// Stores and removes points in steps of up to 50,000 per transaction, oldest first, so that no request waits long for
// the embedded database's only session.
import { addPoints, isSome, type PointCount, pointsText } from '../../commands/progress.ts';
import { POINTS_A_TRANSACTION, stepsOf } from '../../commands/steps.ts';
import { ceilTo, floorTo, type Interval, instantOfMicros, microsOf } from '../../contract/instant.ts';
import type { Database, Queries, Transaction } from '../../database/database.ts';
import { compile, instantText, parameter, sql } from '../../database/drizzle.ts';
import { stationSchema, tables } from '../../database/schema.ts';
import { addOverload, removeOverload } from '../../database/store-overload.ts';
import type { OverloadCount } from '../../sound/measured-point.ts';
import { notePeriods } from './periods/note-periods.ts';
import type { RecordedAs } from './periods/recorded-as.ts';

/** Inclusive at both ends, canonical. */
export interface PointInterval {
  readonly first: string;
  readonly last: string;
  /** Whether points before it in its first minute belong to it too, so that history of that minute is not of other points. */
  readonly goesOn?: boolean;
}

export const pointsWithin = ({ from, to }: Interval): PointInterval => ({
  first: from,
  last: instantOfMicros(microsOf(to) - 1n),
});

const within = sql`time >= ${parameter('first')}::timestamptz and time <= ${parameter('last')}::timestamptz`;
interface Times {
  readonly count: number;
  readonly first: string | null;
  readonly last: string | null;
}
const times = sql`count(*)::float8 as count, ${instantText(sql`min(time)`)} as first, ${instantText(sql`max(time)`)} as last`;
const FIND = compile(sql<Times>`select ${times} from ${tables.points} where ${within}`);
const FIND_OLDEST = compile(sql<Times>`
  select ${times} from (
    select time from ${tables.points} where ${within} order by time limit ${parameter('most')}) as oldest`);
/** Minutes of history from `minute` on. */
const ofHistory = sql`minutes = 1 and bucket >= ${parameter('minute')}::timestamptz and bucket <= ${parameter('last')}::timestamptz`;
const FIND_MINUTES = compile(sql<{ minutes: number }>`
  select count(*)::float8 as minutes from ${tables.history} where ${ofHistory}`);
const REMOVE_MINUTES = compile(sql`delete from ${tables.history} where ${ofHistory}`);
const SUM_HISTORY = compile(sql`
  select ${stationSchema}.audio_data_sum_history(${parameter('minute')}::timestamptz, ${parameter('last')}::timestamptz + interval '1 us')
  from ${tables.refreshes}`);
const REMOVE = compile(sql`delete from ${tables.points} where ${within}`);
/** Keeps two simultaneous writers from both finding the interval empty. */
const LOCK = compile(sql`select pg_advisory_xact_lock(728110426, '${tables.points}'::regclass::oid::int)`);
/** By default TimescaleDB lets a statement change at most 100,000 points of its columnstore. */
const WITHOUT_LIMIT = compile(
  sql`select set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true)`,
);

/** The error if the interval to fill already has points. */
export class PointsFound extends Error {
  override name = 'PointsFound';
  readonly found: PointCount;

  constructor(found: PointCount) {
    super(`${found.count} points already exist`);
    this.found = found;
  }

  advice(name: string): string {
    return `${name} was not stored: its time already has ${pointsText(this.found)}. --replace replaces them, --add keeps both`;
  }
}

/** @param most counts at most this many, oldest first; all by default */
async function find(
  { query }: Queries,
  { first, last, goesOn }: PointInterval,
  most?: number,
): Promise<PointCount> {
  const [found] = await (most === undefined
    ? query(FIND, { first, last })
    : query(FIND_OLDEST, { first, last, most }));
  const [history] =
    most === undefined ? await query(FIND_MINUTES, { minute: minuteFrom(first, goesOn), last }) : [];
  return {
    count: found?.count ?? 0,
    ...(found?.first && { first: found.first }),
    ...(found?.last && { last: found.last }),
    ...(history && history.minutes > 0 && { minutes: history.minutes }),
  };
}

const MINUTE_OF_HISTORY = 60_000_000n;

/** The first minute of history in a time, canonical. */
const minuteFrom = (first: string, goesOn = false) =>
  instantOfMicros((goesOn ? ceilTo : floorTo)(microsOf(first), MINUTE_OF_HISTORY));

/** Without a time limit. */
export const findPoints = (db: Database, interval: PointInterval): Promise<PointCount> =>
  db.transaction((transaction) => find(transaction, interval));

/** Without a time limit. */
export async function findInIslands(db: Database, islands: readonly PointInterval[]): Promise<PointCount> {
  const found: PointCount = { count: 0 };
  for (const island of islands) addPoints(found, await findPoints(db, island));
  return found;
}

async function removeHistory({ query }: Queries, { first, last, goesOn }: PointInterval): Promise<void> {
  const values = { minute: minuteFrom(first, goesOn), last };
  await query(REMOVE_MINUTES, values);
  await query(SUM_HISTORY, values);
}

async function remove(queries: Queries, { first, last }: PointInterval): Promise<void> {
  await queries.query(WITHOUT_LIMIT);
  await removeOverload(queries, { first, last });
  await queries.query(REMOVE, { first, last });
}

/** After a kill, the same call removes the rest. @param onStep gets the points removed so far, once per transaction */
export async function removePoints(
  db: Database,
  interval: PointInterval,
  onStep: (removed: PointCount) => void = () => {},
  pointsAStep = POINTS_A_TRANSACTION,
): Promise<PointCount> {
  const removed: PointCount = { count: 0 };
  for (;;) {
    const step = await db.transaction(
      async (transaction) => {
        await transaction.query(LOCK);
        const { first, last } = await find(transaction, interval, pointsAStep);
        if (first === undefined || last === undefined) {
          const { minutes } = await find(transaction, interval);
          if (minutes === undefined) return undefined;
          await removeHistory(transaction, interval);
          return { count: 0, minutes };
        }
        const { minutes: _, ...found } = await find(transaction, { first, last });
        await remove(transaction, { first, last });
        return found;
      },
      { purpose: 'replace' },
    );
    if (!step) return removed;
    addPoints(removed, step);
    onStep(removed);
  }
}

/** How to treat existing points that new ones overlap: `new` refuses them, `add` keeps them, `replace` removes them. */
export type Mode = 'new' | 'add' | 'replace';

export const storingMode = (adds: boolean, replaces: boolean): Mode =>
  adds ? 'add' : replaces ? 'replace' : 'new';

export interface HowToStore {
  readonly mode: Mode;
  /** If known beforehand: the intervals of the new points, and whether these come oldest first. */
  readonly whole?: { readonly islands: readonly PointInterval[]; readonly isOrdered: boolean } | undefined;
  readonly as?: RecordedAs | undefined;
  /** The overloaded windows of the rows, counted before the rows arrive. Rows must then come oldest first. */
  readonly overload?: OverloadCount | undefined;
  readonly pointsAStep?: number;
  progress(line: string): void;
}

/**
 * Stores points. After a kill, or if `csv` throws, earlier transactions stay stored.
 *
 * @param csv rows, in pieces of whole lines
 * @returns the points that were replaced
 * @throws what `csv` throws; PointsFound if the interval must be empty and is not
 */
export async function storePoints(
  db: Database,
  csv: AsyncIterable<string>,
  { mode, whole, as, overload, progress, pointsAStep = POINTS_A_TRANSACTION }: HowToStore,
): Promise<PointCount> {
  const removed: PointCount = { count: 0 };
  const stored: PointCount = { count: 0 };
  const disordered = whole?.isOrdered === false ? whole.islands : undefined;
  if (whole && mode === 'new') assertNone(await findInIslands(db, whole.islands));
  try {
    for await (const step of stepsOf(csv, pointsAStep, overload !== undefined)) {
      const time =
        disordered ??
        partsOf(whole?.islands, { first: step.after, last: step.last, goesOn: stored.count > 0 });
      const stepMode = disordered && stored.count > 0 ? 'add' : mode; // earlier steps have filled that time
      if (stepMode === 'replace')
        for (const part of time)
          if ((await findPoints(db, part)).count > pointsAStep)
            addPoints(removed, await removePoints(db, part, () => {}, pointsAStep));
      const overloaded = overload ? [overload.take(step.last)] : [];
      const found = await db.transaction(
        async (transaction) => {
          const there = await storeStep(transaction, step.rows(), time, stepMode);
          await addOverload(transaction, overloaded);
          const { warnings } = await notePeriods(transaction, as ? [{ ...step, as }] : []);
          for (const warning of warnings) progress(warning);
          return there;
        },
        { purpose: mode === 'replace' ? 'replace' : 'store' },
      );
      addPoints(removed, found);
      addPoints(stored, step);
    }
  } catch (error) {
    const advice = mode === 'add' ? '' : ' Run the same command with --replace to store all points.';
    if (stored.count > 0) progress(`Stored only ${pointsText(stored)}.${advice}`);
    throw error;
  }
  return removed;
}

/** @returns the parts of the islands that lie in an interval; the whole interval if there are no islands */
function partsOf(
  islands: readonly PointInterval[] | undefined,
  { first, last, goesOn = false }: PointInterval,
) {
  return (islands ?? [{ first, last }])
    .filter((island) => island.first <= last && island.last >= first)
    .map((island) => ({
      first: island.first > first ? island.first : first,
      last: island.last < last ? island.last : last,
      goesOn: goesOn && island.first <= first,
    }));
}

/** In one transaction. @param time to check or to empty, by mode. @returns the removed points. @throws PointsFound */
async function storeStep(transaction: Transaction, csv: string, time: readonly PointInterval[], mode: Mode) {
  await transaction.query(LOCK);
  const there: PointCount = { count: 0 };
  for (const part of mode === 'add' ? [] : time) {
    const found = await find(transaction, part);
    if (mode === 'new') assertNone(found);
    if (found.count > 0) await remove(transaction, part);
    if (found.minutes !== undefined) await removeHistory(transaction, part);
    addPoints(there, found);
  }
  await transaction.copy(csv);
  return there;
}

export function assertNone(found: PointCount): void {
  if (isSome(found)) throw new PointsFound(found);
}
