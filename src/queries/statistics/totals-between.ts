// The totals of the points between some instants: of days, evenings and nights.
import { type SQL, sql } from 'drizzle-orm';
import { microsOf } from '../../contract/instant.ts';
import { addUp, type Totals } from '../../timescale/buckets.ts';
import { RESOLUTIONS } from '../../timescale/rollups.ts';
import type { Store } from '../../timescale/rollups-in-use.ts';
import { NO_VERSIONS, type Part, TOTALS, TOTALS_OF_POINTS, TOTALS_OF_TOTALS } from './algebra.ts';
import { answerFrom, type Usable } from './cheapest-sources.ts';
import { type Sources, scansOfRollup, unionOfPoints } from './sources.ts';

/**
 * @param cuts canonical instants in order; the first is not after `from`, the last not before `to`
 * @returns the totals of the points of `[from, to)` between each two cuts
 */
export async function totalsBetween(
  store: Store,
  interval: { from: string; to: string },
  cuts: readonly string[],
): Promise<Totals[]> {
  const totals = cuts.slice(1).map((): Totals[] => []);
  const parts = await answerFrom<readonly Part[]>(store, interval, {
    isUnnamed: true,
    select: (sources) => totalsOf(sources, cuts),
    usable: usableBetween(cuts),
    finish: ({ parts }) => parts,
  });
  for (const { start = 0, ...part } of parts) totals[start - 1]?.push(part);
  return totals.map(addUp);
}

/** The longest buckets that no cut divides, and shorter ones for the ends of the interval and what is stale. */
function usableBetween(cuts: readonly string[]): Usable[] {
  const fits = ({ seconds }: { seconds: number }) =>
    cuts.every((cut) => microsOf(cut) % (BigInt(seconds) * 1_000_000n) === 0n);
  return RESOLUTIONS.filter(({ seconds }) => LENGTHS.includes(seconds))
    .filter(fits)
    .map(({ name: resolution, seconds }) => ({ resolution, seconds, key: 'total' }));
}

/** Hours, quarters of an hour for the zones that have them, and minutes: each more costs more than it spares. */
const LENGTHS = [3600, 900, 60];

function totalsOf(sources: Sources, cuts: readonly string[]): SQL {
  // an array, not a constant for each: the statement would have thousands of parameters
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
