// The minutes of history in a backup: lines that begin with `h`, before the points. And what keeps them still meanwhile.
import { FIRST_INSTANT } from '../contract/instant.ts';
import type { Database, Queries } from '../database/database.ts';
import { compile, instantText, parameter, sql } from '../database/drizzle.ts';
import { stationSchema, tables } from '../database/schema.ts';

const SUMS =
  'level_sum,power_sum,above_power_sum,minute_count,point_count,level_count,silence_count,under_range,clipped,min_db,max_db';
const TYPES = 'bigint,float8,float8,smallint,int,int,int,int,int,real,real'.split(',');
const names = SUMS.split(',');

const PAGE = compile(sql<{ lines: string; last: string | null }>`
  select coalesce(string_agg('h' || ${instantText(sql`bucket`)} || ',' ||
      concat_ws(',', ${sql.raw(names.map((name) => `coalesce(${name}::text, '')`).join())}) || chr(10), '' order by bucket), '') as lines,
    ${instantText(sql`max(bucket)`)} as last
  from (
    select * from ${tables.history} where minutes = 1 and bucket > ${parameter('after')}::timestamptz order by bucket limit 20000
  ) as page`);

export async function* historyLines({ query }: Queries): AsyncGenerator<Buffer> {
  for (let after: string | null = FIRST_INSTANT; after !== null; ) {
    const [page]: { lines: string; last: string | null }[] = await query(PAGE, { after });
    if (page && page.lines !== '') yield Buffer.from(page.lines, 'latin1');
    after = page?.last ?? null;
  }
}

const ADD = compile(sql`
  insert into ${tables.history} (minutes, bucket, ${sql.raw(SUMS)})
  select 1, * from unnest(${parameter('bucket')}::timestamptz[], ${sql.join(
    names.map((name, at) => sql`${parameter(name)}::${sql.raw(TYPES[at] ?? '')}[]`),
    sql`, `,
  )})
  on conflict do nothing`);
const SUM = compile(sql`
  select ${stationSchema}.audio_data_sum_history(${parameter('first')}::timestamptz, ${parameter('last')}::timestamptz + interval '1 minute')
  from ${tables.refreshes}`);

/** Adds the minutes of whole lines, oldest first. Minutes that are there stay. */
export async function addHistoryLines({ query }: Queries, lines: string): Promise<void> {
  const rows = lines
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(1).split(','));
  const list = (at: number) => `{${rows.map((row) => row[at] || 'null').join()}}`;
  const sums = names.map((name, at) => [name, list(at + 1)] as const);
  await query(ADD, { bucket: list(0), ...Object.fromEntries(sums) });
  await query(SUM, { first: rows[0]?.[0] ?? '', last: rows.at(-1)?.[0] ?? '' });
}

const STILL = compile(
  sql`select pg_advisory_xact_lock_shared(728110427, '${tables.points}'::regclass::oid::int) from ${tables.refreshes}`,
);

/** Keeps the removal of old points (drizzle/0011) waiting. The service does so by itself for its embedded database. */
export const withoutRemoval = <Result>(db: Database, work: () => Promise<Result>): Promise<Result> =>
  db.run
    ? work()
    : db.transaction(async ({ query }) => {
        await query(STILL);
        return work();
      });
