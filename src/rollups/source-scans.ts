// Writes the scans that read the points and each rollup for statistics.
import { instantOfMicros, type Range } from '../contract/instant.ts';
import { totalLength, union } from '../contract/ranges.ts';
import { type SQL, type SQLWrapper, sql } from '../database/drizzle.ts';
import { ROLLUP_TABLES, type Rollup } from '../database/rollups.ts';
import { audioData, tables } from '../database/schema.ts';

/** The SQL after FROM and WHERE. */
export interface Scan {
  readonly from: SQLWrapper;
  readonly where: SQL;
}

/** The same for buckets of one length. */
export interface BucketScan extends Scan {
  readonly seconds: number;
}

/** What a statement should read from the points and from each rollup. */
export type Sources = Readonly<ReturnType<typeof sourcesOf>>;

export const TEN_MINUTES = 600_000_000n;

export interface Plan {
  readonly raw: readonly Range[];
  readonly rollups: readonly (Rollup & { readonly ranges: readonly Range[] })[];
  /** Whole buckets of history (drizzle/0011), by their length. */
  readonly history?: readonly { readonly minutes: number; readonly ranges: readonly Range[] }[];
}

/** @param isHypertable whether points are in chunks. @param isStored whether histograms come from memory */
export function sourcesOf({ raw, rollups, history = [] }: Plan, isHypertable: boolean, isStored: boolean) {
  const isKept = ({ key }: Rollup) => isStored && key === 'histogram';
  const bucketScans = (table: SQLWrapper, isOfLength: string, seconds: number, ranges: readonly Range[]) =>
    scansOf(sql`bucket`, table, ranges, FEW_OF_ROLLUPS).map(({ from, where }): BucketScan => {
      return { from, where: sql`${sql.raw(isOfLength)} and ${where}`, seconds };
    });
  const scans = (some: Plan['rollups']) =>
    some.flatMap(({ key, seconds, ranges }) =>
      bucketScans(ROLLUP_TABLES[key], `seconds = ${seconds}`, seconds, ranges),
    );
  const stored = rollups.filter(isKept);
  return {
    raw: scansOf(sql`${audioData.time}`, tables.points, raw, FEW_OF_POINTS, isHypertable),
    /** Whether the points span at most {@link TEN_MINUTES}, like a window's ends: one materialized scan is best. */
    isFew: totalLength(raw) <= TEN_MINUTES,
    rollups: scans(rollups.filter((rollup) => !isKept(rollup))),
    /** The scans of rollups whose buckets come from memory. */
    stored: scans(stored),
    storedRanges: stored.flatMap(({ ranges }) => ranges),
    history: history.flatMap(({ minutes, ranges }) =>
      bucketScans(tables.history, `minutes = ${minutes}`, 60 * minutes, ranges),
    ),
  };
}

/** Up to this many ranges get a scan each, for better row estimates. More would take longer to plan than to read. */
const [FEW_OF_POINTS, FEW_OF_ROLLUPS] = [30, 3];

/** @param isHypertable whether scans are planned for every chunk that they may touch, so each should get few ranges */
function scansOf(
  column: SQL,
  table: SQLWrapper,
  ranges: readonly Range[],
  few: number,
  isHypertable = false,
): Scan[] {
  const all = union(ranges);
  if (all.length <= few) return all.map((range) => ({ from: table, where: inside(column, range) }));
  if (isHypertable) return groupsOf(all).map((some) => ({ from: table, where: amongOf(column, some) }));
  const isOfSeconds = all.every(({ from, to }) => from % SECOND === 0n && to % SECOND === 0n);
  const [list, time] = isOfSeconds ? [seconds, sql`to_timestamp`] : [timestamps, sql``];
  return [
    {
      from: sql`unnest(${list(all.map(({ from }) => from))}, ${list(all.map(({ to }) => to))}) as range (since, until), ${table}`,
      where: sql`${column} >= ${time}(since) and ${column} < ${time}(until)`,
    },
  ];
}

/** Not across the widest gaps: a group reads what lies between, and another scan takes a third of a millisecond. */
function groupsOf(ranges: readonly Range[]): Range[][] {
  const gaps = ranges
    .slice(1)
    .map(({ from }, at) => ({ at: at + 1, width: from - (ranges[at]?.to ?? from) }));
  const widest = gaps
    .filter(({ width }) => width >= TEN_MINUTES)
    .sort((a, b) => (a.width > b.width ? -1 : 1));
  const starts = new Set(widest.slice(0, MOST_SCANS - 1).map(({ at }) => at));
  const groups: Range[][] = [];
  for (const [at, range] of ranges.entries())
    if (at === 0 || starts.has(at)) groups.push([range]);
    else groups.at(-1)?.push(range);
  return groups;
}

const MOST_SCANS = 200;

function amongOf(column: SQL, ranges: readonly Range[]): SQL {
  return sql`${inside(column, spanOf(ranges))} and ${isAmong(column, ranges)}`;
}

export function isAmong(time: SQL, ranges: readonly Range[]): SQL {
  const spans = ranges.map(({ from, to }) => `[${instantOfMicros(from)},${instantOfMicros(to)})`);
  return sql`${time} <@ ${`{${spans.join()}}`}::tstzmultirange`;
}

const inside = (column: SQL, { from, to }: Range) =>
  sql`${column} >= ${instantValue(from)} and ${column} < ${instantValue(to)}`;

export const spanOf = (ranges: readonly Range[]): Range => ({
  from: ranges[0]?.from ?? 0n,
  to: ranges.at(-1)?.to ?? 0n,
});

/** An instant as a value of the statement. */
export const instantValue = (micros: bigint): SQL => sql`${instantOfMicros(micros)}::timestamptz`;

/** `select ...` of each scan. @param rest the SQL after its conditions */
export const selectsOf = (scans: readonly Scan[], select: SQL, rest: SQL = sql``): SQL[] =>
  scans.map(({ from, where }) => sql`select ${select} from ${from} where ${where}${rest}`);

/** The same for the points, joined by `union all`. Without a scan: a select of no rows, which names the columns. */
export function unionOfPoints(raw: readonly Scan[], select: SQL, rest: SQL = sql``): SQL {
  const scans = raw.length > 0 ? raw : [{ from: tables.points, where: sql`false` }];
  return unionAll(selectsOf(scans, select, rest));
}

/** Whether history lacks the minute that starts at `start`: a minute that it has is already counted as measured. */
export const isBeside = (history: readonly Scan[], start: SQL): SQL =>
  history.length === 0
    ? sql`true`
    : sql`not exists (select from ${tables.history} as gone where gone.minutes = 1 and gone.bucket = ${start})`;

export const unionAll = (selects: readonly SQL[]) => sql.join([...selects], sql` union all `);

const SECOND = 1_000_000n;

/** The same as seconds since 1970, which PostgreSQL parses four times as fast: ten years of days have 30,000. */
const seconds = (micros: readonly bigint[]): SQL =>
  sql`${`{${micros.map((each) => each / SECOND).join()}}`}::float8[]`;

export const timestamps = (micros: readonly bigint[]): SQL =>
  sql`${`{${micros.map(instantOfMicros).join()}}`}::timestamptz[]`;
