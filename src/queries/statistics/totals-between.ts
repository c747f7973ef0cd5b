// Adds up the points between each two instants of a list: of days, evenings and nights.
import { type SQL, sql } from 'drizzle-orm';
import { type Interval, microsOf } from '../../contract/instant.ts';
import { RESOLUTIONS } from '../../db/rollups.ts';
import { addUp, type Totals } from '../../statistics/histogram.ts';
import {
  type BucketPart,
  NO_VERSIONS,
  TOTALS,
  TOTALS_OF_POINTS,
  TOTALS_OF_TOTALS,
} from '../../store/counted-points.ts';
import { answerFrom, type UsableRollup } from '../../store/rollup-planner.ts';
import type { Store } from '../../store/rollups-in-use.ts';
import { type Sources, scansOfRollup, unionOfPoints } from '../../store/source-scans.ts';

/**
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @returns the totals of the points of `[from, to)` between each two cuts
 */
export async function totalsBetween(
  store: Store,
  interval: Interval,
  cuts: readonly string[],
): Promise<Totals[]> {
  const totals = cuts.slice(1).map((): Totals[] => []);
  const parts = await answerFrom<readonly BucketPart[]>(store, interval, {
    isUnnamed: true,
    select: (sources) => totalsOf(sources, cuts),
    usable: usableBetween(cuts),
    finish: ({ parts }) => parts,
  });
  for (const { start = 0, ...part } of parts) totals[start - 1]?.push(part);
  return totals.map(addUp);
}

/** The rollups whose buckets no cut divides, longest first. */
function usableBetween(cuts: readonly string[]): UsableRollup[] {
  const fits = ({ seconds }: { seconds: number }) =>
    cuts.every((cut) => microsOf(cut) % (BigInt(seconds) * 1_000_000n) === 0n);
  return RESOLUTIONS.filter(({ seconds }) => LENGTHS.includes(seconds))
    .filter(fits)
    .map(({ name: resolution, seconds }) => ({ resolution, seconds, key: 'total' }));
}

/** Hours, quarters of an hour for the zones that have them, and minutes: another length costs more than it saves. */
const LENGTHS = [3600, 900, 60];

function totalsOf(sources: Sources, cuts: readonly string[]): SQL {
  // one array: with a constant for each cut the statement would have thousands of parameters
  const places = (time: SQL) => sql`width_bucket(${time}, ${sql.raw(`'{${cuts.join()}}'::timestamptz[]`)})`;
  const scans = [
    unionOfPoints(sources, sql`${places(sql`time`)} as start, ${TOTALS_OF_POINTS}`, sql` group by 1`),
    ...sources.rollups.flatMap((rollup) =>
      scansOfRollup(rollup, 'total', sql`${places(sql`bucket`)}, ${TOTALS_OF_TOTALS}`, sql` group by 1`),
    ),
  ];
  return sql`
  select json_agg(part) as parts, ${NO_VERSIONS} as versions
  from (select start, ${TOTALS} from (${sql.join(scans, sql` union all `)}) as totals) as part`;
}
