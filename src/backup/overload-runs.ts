// Writes the overloaded minutes of a station into the head of its backup: four bytes or so for each.
import { z } from 'zod';
import { instantOfMicros, microsOf } from '../contract/instant.ts';
import { Instant } from '../contract/instant-schema.ts';
import { compile } from '../db/compile.ts';
import type { Database } from '../db/database.ts';
import { sql } from '../db/drizzle.ts';
import { instantText } from '../db/statement-values.ts';
import type { Overload } from '../recorder/measured-point.ts';

/** Minutes that follow each other, and how many windows of each were overloaded. */
export const OverloadRun = z.object({ since: Instant, overloaded: z.array(z.int().positive()) });
type OverloadRun = z.infer<typeof OverloadRun>;

const MINUTE = 60_000_000n;
const ALL = compile(sql`
  select ${instantText(sql`minute`)} as minute, overloaded from audio_data_overload order by audio_data_overload.minute`);

/** Oldest first; undefined if there is none. */
export async function overloadRuns(db: Database): Promise<OverloadRun[] | undefined> {
  const runs: OverloadRun[] = [];
  let next: bigint | undefined;
  for (const { minute, overloaded } of await db.query<{ minute: string; overloaded: number }>(ALL)) {
    const last = runs.at(-1);
    if (last && microsOf(minute) === next) last.overloaded.push(overloaded);
    else runs.push({ since: minute, overloaded: [overloaded] });
    next = microsOf(minute) + MINUTE;
  }
  return runs.length > 0 ? runs : undefined;
}

export function overloadIn(runs: readonly OverloadRun[]): Overload {
  const minutes = runs.flatMap(({ since, overloaded }) =>
    overloaded.map((count, at) => [instantOfMicros(microsOf(since) + BigInt(at) * MINUTE), count] as const),
  );
  return Object.fromEntries(minutes);
}
