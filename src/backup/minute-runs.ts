// Packs the values of minutes for the head of a backup: a few bytes per minute.
import { z } from 'zod';
import { instantOfMicros, microsOf } from '../contract/instant.ts';
import { Instant } from '../contract/parameters.ts';
import type { Database } from '../database/database.ts';
import { withBuilder } from '../database/drizzle.ts';
import { tables } from '../database/schema.ts';

/** Consecutive minutes, with one value for each. */
export const MinuteRun = z.object({ since: Instant, values: z.array(z.number()) });
type MinuteRun = z.infer<typeof MinuteRun>;

const MINUTE = 60_000_000n;
const { overload } = tables;

/** Oldest first; undefined if there is none. */
export async function overloadRuns(db: Database): Promise<MinuteRun[] | undefined> {
  const runs: MinuteRun[] = [];
  let next: bigint | undefined;
  const rows = await withBuilder(db, (builder) => builder.select().from(overload).orderBy(overload.minute));
  for (const { minute, overloaded: value } of rows) {
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
