// Keeps the largest clock correction of each minute, in the transactions that store and remove the minute's points.
import type { Run } from '../../db/database.ts';
import { type Corrections, largestCorrections } from '../measured-point.ts';

const ADD = `
  insert into audio_data_clock as kept (minute, correction_ms) select * from unnest($1::timestamptz[], $2::float8[])
  on conflict (minute) do update set correction_ms = excluded.correction_ms
  where abs(excluded.correction_ms) > abs(kept.correction_ms)`;

/** Keeps the larger of the stored and the new correction. */
export async function addCorrections(run: Run, some: readonly Corrections[]): Promise<void> {
  const largest = largestCorrections(some.flatMap(Object.entries<number>));
  const minutes = Object.keys(largest);
  if (minutes.length > 0) await run(ADD, [`{${minutes.join()}}`, `{${Object.values(largest).join()}}`]);
}

const REMOVE = `
  delete from audio_data_clock
  where minute > $1::timestamptz - interval '1 minute' and minute <= $2::timestamptz
    and (minute >= $1 and minute + interval '1 minute' <= $2 or not exists (
      select from audio_data where time >= minute and time < minute + interval '1 minute' and (time < $1 or time > $2)))`;

/**
 * Removes the corrections of points that are about to be removed. A minute that keeps some of its points keeps its
 * correction, since nothing records which point it belongs to.
 *
 * @param interval inclusive at both ends, canonical
 */
export async function removeCorrections(
  run: Run,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<void> {
  await run(REMOVE, [first, last]);
}
