// Packs the values of minutes for the head of a backup: a few bytes per minute.
import { z } from 'zod';
import { instantOfMicros, microsOf } from '../contract/instant.ts';
import { Instant } from '../contract/parameters.ts';
import { compile } from '../database/compile.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/drizzle.ts';
import { tables } from '../database/schema.ts';
import { instantText } from '../database/statement-values.ts';

/** Consecutive minutes, with one value for each. */
export const MinuteRun = z.object({ since: Instant, values: z.array(z.number()) });
type MinuteRun = z.infer<typeof MinuteRun>;

const MINUTE = 60_000_000n;
const minute = instantText(sql`minute`);
const OVERLOAD = compile(sql`
  select ${minute} as minute, overloaded as value from ${tables.overload} order by audio_data_overload.minute`);

/** Oldest first; undefined if there is none. */
export async function overloadRuns(db: Database): Promise<MinuteRun[] | undefined> {
  const runs: MinuteRun[] = [];
  let next: bigint | undefined;
  for (const { minute, value } of await db.query<{ minute: string; value: number }>(OVERLOAD)) {
    const last = runs.at(-1);
    if (last && microsOf(minute) === next) last.values.push(value);
    else runs.push({ since: minute, values: [value] });
    next = microsOf(minute) + MINUTE;
  }
  return runs.length > 0 ? runs : undefined;
}

export function byMinute(runs: readonly MinuteRun[]): Record<string, number> {
  const minutes = runs.flatMap(({ since, values }) =>
    values.map((value, at) => [instantOfMicros(microsOf(since) + BigInt(at) * MINUTE), value] as const),
  );
  return Object.fromEntries(minutes);
}
