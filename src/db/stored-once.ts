// What is stored once: the database notes the numbers of what it has stored of each writer, in the same transaction.
import { compile, parameter } from './compile.ts';
import type { Run } from './database.ts';
import { sql } from './drizzle.ts';

export const noted = sql`audio_data_spools.segments::int8multirange`;

/** Changes no row if one of them is stored already. */
const NOTE = compile(sql`
  insert into audio_data_spools (spool, segments)
  values (${parameter('writer')}, ${parameter('numbers')}::int8multirange::text)
  on conflict (spool) do update set segments = (${noted} + excluded.segments::int8multirange)::text
  where not ${noted} && excluded.segments::int8multirange
  returning spool`).text;

export const multirangeOf = (numbers: readonly number[]) =>
  `{${numbers.map((number) => `[${number},${number}]`)}}`;

/** @returns whether none of them was stored before; else nothing may be stored */
export async function noteStored(run: Run, writer: string, numbers: readonly number[]): Promise<boolean> {
  return (await run(NOTE, [writer, multirangeOf(numbers)])).length > 0;
}
