// Lets a writer retry without storing anything twice: the transaction also records the numbers of what it stores.
import type { Queries } from './database.ts';
import { compile, parameter, sql } from './drizzle.ts';
import { tables } from './schema.ts';

/** The number of a segment whose writer is the hash of a key. */
export const OF_KEY = 0;

const noted = sql`audio_data_spools.segments::int8multirange`;
const FIND = compile(sql<{ number: number }>`
  select number::float8 as number
  from ${tables.spools}, unnest(${noted} * ${parameter('numbers')}::int8multirange) as stretch,
    generate_series(lower(stretch), upper(stretch) - 1) as number
  where spool = ${parameter('writer')}`);

/** Changes no row if one of the numbers is already stored. Keys get the time: audio_data_remove_old() removes them later. */
const NOTE = compile(sql<{ known: boolean; stored: boolean }>`
  with known as materialized (
    select (${noted} + ${parameter('numbers')}::int8multirange)::text as segments,
      ${noted} && ${parameter('numbers')}::int8multirange as is_stored
    from ${tables.spools} where spool = ${parameter('writer')} for update
  ), changed as (
    update ${tables.spools} set segments = known.segments from known where spool = ${parameter('writer')} and not is_stored
    returning spool
  ), added as (
    insert into ${tables.spools} (spool, segments, live_until)
    values (${parameter('writer')}, ${parameter('numbers')}::int8multirange::text,
      case when ${parameter('numbers')}::int8multirange @> ${sql.raw(`${OF_KEY}`)}::int8 then now() end)
    on conflict do nothing returning spool
  )
  select exists (select from known) as known, exists (select from changed) or exists (select from added) as stored`);

const multirangeOf = (numbers: readonly number[]) => `{${numbers.map((number) => `[${number},${number}]`)}}`;

/** Records the numbers, unless one is stored already. @returns false in that case: store nothing */
export async function noteStored(
  queries: Queries,
  writer: string,
  numbers: readonly number[],
): Promise<boolean> {
  const [found] = await queries.query(NOTE, { writer, numbers: multirangeOf(numbers) });
  if (!found || found.known || found.stored) return found?.stored === true;
  return noteStored(queries, writer, numbers); // another transaction added the row meanwhile
}

/** Records the numbers that were not stored before. @returns those numbers, which the transaction must store */
export async function noteNew(queries: Queries, writer: string, numbers: readonly number[]) {
  if (await noteStored(queries, writer, numbers)) return new Set(numbers);
  // the statement has locked the row, although it did not change it
  const rows = await queries.query(FIND, { writer, numbers: multirangeOf(numbers) });
  const stored = new Set(rows.map(({ number }) => number));
  const fresh = numbers.filter((number) => !stored.has(number));
  if (fresh.length > 0) await noteStored(queries, writer, fresh);
  return new Set(fresh);
}
