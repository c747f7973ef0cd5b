// Sets how long points are kept where TimescaleDB has no policy for it (drizzle/0005), and removes the older ones.
import type { Run } from '../db/database.ts';
import { keepUntilTold, type Log, POLICIES, retentionFault } from '../timescale/policies.ts';

/**
 * What is not set stays as it is. A database without points gets the standard; one that holds points keeps all until
 * told.
 *
 * @param wanted an interval, or `off`
 * @param again how to say it: what a warning tells
 * @throws Error that names RAW_RETENTION, where it is not an interval or too short
 */
export async function setRawRetention(
  run: Run,
  wanted: string | undefined,
  log: Log,
  again?: string,
): Promise<void> {
  const [fault] = await retentionFault(run, 'RAW_RETENTION', wanted);
  if (fault !== undefined) throw new Error(fault);
  if (wanted !== undefined) return store(run, wanted);
  const [present] = await run<{ retention: string | null; filled: boolean; older: boolean }>(
    `select raw_retention as retention, exists (select from audio_data) as filled,
       exists (select from audio_data where time < now() - $1::interval) as older
     from audio_data_refreshes`,
    [POLICIES.rawRetention],
  );
  if (!present || present.retention !== null) return;
  if (!present.filled) await store(run, POLICIES.rawRetention);
  else if (present.older) keepUntilTold(log, again);
}

async function store(run: Run, retention: string): Promise<void> {
  await run('update audio_data_refreshes set raw_retention = $1', [retention]);
}

/** Whether the role may call the function; false where there is none. */
const MAY = `select coalesce(has_function_privilege(to_regprocedure('audio_data_remove_old()'), 'execute'), false) as may`;

/**
 * Removes the days that are older than the retention, in steps.
 *
 * @param goesOn asked before each
 * @returns how many these were; 0 also where another process refreshes or removes, and on a standby
 */
export async function removeOldPoints(run: Run, goesOn = () => true): Promise<number> {
  if (!(await mayRemove(run))) return 0;
  for (let steps = 0; ; steps++) {
    if (!goesOn()) return steps;
    const [row] = await run<{ removed: number | null }>('select audio_data_remove_old() as removed', []);
    if (!row?.removed) return steps;
  }
}

/** Warns who has stored points that are removed soon. */
export async function warnOfOldPoints(run: Run, log: Log): Promise<void> {
  if (!(await mayRemove(run))) return;
  const [found] = await run<{ retention: string }>(
    `select raw_retention as retention from audio_data_refreshes
     where exists (select from audio_data where time < now() - nullif(raw_retention, 'off')::interval - interval '1 day')`,
    [],
  );
  if (found)
    log.warn(
      {},
      `Points older than ${found.retention} are removed soon, as RAW_RETENTION says: to keep them set it to 'off'`,
    );
}

async function mayRemove(run: Run): Promise<boolean> {
  const [right] = await run<{ may: boolean }>(MAY, []);
  return right?.may ?? false;
}
