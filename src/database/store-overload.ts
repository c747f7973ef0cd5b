// Counts the overloaded windows of each minute, in the transactions that store and remove the minute's points.
import { z } from 'zod';
import { Instant } from '../contract/parameters.ts';
import type { Queries } from './database.ts';
import { compile, parameter, sql } from './drizzle.ts';
import { tables } from './schema.ts';

/** Overloaded windows per minute (UTC), keyed by the minute's canonical start. Minutes without any are missing. */
export const OverloadByMinute = z.record(Instant, z.int().positive());
export type OverloadByMinute = z.infer<typeof OverloadByMinute>;

const ADD = compile(sql`
  insert into ${tables.overload} (minute, overloaded) select * from unnest(${parameter('minutes')}::timestamptz[], ${parameter('counts')}::int[])
  on conflict (minute) do update set overloaded = audio_data_overload.overloaded + excluded.overloaded`);

export async function addOverload(queries: Queries, some: readonly OverloadByMinute[]): Promise<void> {
  const sums = new Map<string, number>();
  for (const [minute, count] of some.flatMap(Object.entries<number>))
    sums.set(minute, (sums.get(minute) ?? 0) + count);
  if (sums.size > 0)
    await queries.query(ADD, {
      minutes: `{${[...sums.keys()].join()}}`,
      counts: `{${[...sums.values()].join()}}`,
    });
}

const REMOVE = compile(sql`
  with touched as (
    select minute, points, kept
    from ${tables.overload}, (values (${parameter('first')}::timestamptz, ${parameter('last')}::timestamptz)) as removed (first, last), lateral (
      select count(*) as points, count(*) filter (where time < first or time > last) as kept
      from ${tables.points} where time >= minute and time < minute + interval '1 minute'
        and (minute < first or minute + interval '1 minute' > last)
    ) as counted
    where minute > ${parameter('first')}::timestamptz - interval '1 minute' and minute <= ${parameter('last')}::timestamptz
  ),
  gone as (delete from ${tables.overload} where minute in (select minute from touched where kept = 0)),
  shrunk as (
    update ${tables.overload} as shrunk set overloaded = least(kept, ceil(overloaded::float8 * kept / points))
    from touched where shrunk.minute = touched.minute and kept > 0
  )
  select`);

/**
 * Removes the overload counts of points that are about to be removed. A minute that keeps some of its points keeps the
 * same share of overloaded windows, rounded up, since nothing records which points they are.
 *
 * @param interval inclusive at both ends, canonical
 */
export async function removeOverload(
  queries: Queries,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<void> {
  await queries.query(REMOVE, { first, last });
}
