// Sets how long points are kept (audio_data_refreshes in drizzle/0003), and removes older ones.
import { compile } from '../database/compile.ts';
import type { RunStatement } from '../database/database.ts';
import { sql } from '../database/drizzle.ts';
import type { Log } from '../database/log.ts';
import { stationSchema, tables } from '../database/schema.ts';

/** The default. A summary may cover 30 days, and five more allow for chunks that are dropped late. */
const STANDARD = '35 days';
const LEAST = '30 days';

/** @returns what is wrong with a retention setting, if anything */
export async function retentionFault(
  run: RunStatement,
  name: string,
  value: string | undefined,
): Promise<string | undefined> {
  if (value === undefined || value === 'off') return undefined;
  try {
    const text = 'select $1::interval > $2::interval as enough';
    const [row] = await run<{ enough: boolean }>(text, [value, LEAST]);
    if (row?.enough) return undefined;
    return `${name} is '${value}', but must be more than ${LEAST}, the longest period of a summary, or 'off'`;
  } catch {
    return `${name} is '${value}', but must be an interval such as '${STANDARD}', or 'off'`;
  }
}

/**
 * Without `wanted`, keeps an existing setting. If there is none, a database without points gets the standard; a
 * database with points keeps them all until the operator sets a retention.
 *
 * @param wanted an interval, or `off`
 * @param again the command that the warning names, to run after setting a retention
 * @throws Error that names RAW_RETENTION if it is not an interval or is too short
 */
export async function setRawRetention(
  run: RunStatement,
  wanted: string | undefined,
  log: Log,
  again = 'run `npm run migrate` again',
): Promise<void> {
  const fault = await retentionFault(run, 'RAW_RETENTION', wanted);
  if (fault !== undefined) throw new Error(fault);
  if (wanted !== undefined) return store(run, wanted);
  const [present] = await run<{ retention: string | null; filled: boolean; older: boolean }>(
    compile(sql`select raw_retention as retention, exists (select from ${tables.points}) as filled,
       exists (select from ${tables.points} where time < now() - $1::interval) as older
     from ${tables.refreshes}`).text,
    [STANDARD],
  );
  if (!present || present.retention !== null) return;
  if (!present.filled) await store(run, STANDARD);
  else if (present.older)
    log.warn(
      {},
      `audio_data holds points older than ${STANDARD}, so none are dropped until you set how long to keep them: ` +
        `set RAW_RETENTION to an interval such as '${STANDARD}', or to 'off', and ${again}`,
    );
}

/** Lets points older than a changed retention be removed at once: the operator caused this, not a wrong clock. */
async function store(run: RunStatement, retention: string): Promise<void> {
  await run(
    compile(sql`update ${tables.refreshes} set raw_retention = $1, removed_until = now() - nullif($1, 'off')::interval
     where raw_retention is distinct from $1`).text,
    [retention],
  );
}

/**
 * Removes the days older than the retention, in steps.
 *
 * @param ranSeconds how long the caller has run since its previous call
 * @param goesOn called before each step
 * @returns the number of steps, and whether old points stay, in case the clock is wrong, until the caller has run for
 *   a day. No steps on a standby, or while another process refreshes or removes
 */
export async function removeOldPoints(
  run: RunStatement,
  ranSeconds: number,
  goesOn = () => true,
): Promise<{ steps: number; isLate: boolean }> {
  for (let steps = 0; ; steps++) {
    if (!goesOn()) return { steps, isLate: false };
    const [row] = await run<{ removed: number | null }>(
      compile(sql`select ${stationSchema}.audio_data_remove_old($1::float8) as removed`).text,
      [steps === 0 ? ranSeconds : 0],
    );
    if (row?.removed !== 1) return { steps, isLate: row?.removed === -1 };
  }
}

/** Warns that points older than the retention will be removed soon. */
export async function warnOfOldPoints(run: RunStatement, log: Log): Promise<void> {
  const [found] = await run<{ retention: string }>(
    compile(sql`select raw_retention as retention from ${tables.refreshes}
     where exists (select from ${tables.points} where time < now() - nullif(raw_retention, 'off')::interval - interval '1 day')`)
      .text,
    [],
  );
  if (found)
    log.warn(
      {},
      `Points older than ${found.retention} will soon be removed: to keep them, set RAW_RETENTION to 'off'`,
    );
}
