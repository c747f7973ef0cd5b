// Sets how long points and history are kept (audio_data_refreshes in drizzle/0003 and 0011), and removes older ones.
import type { Log, RunStatement } from '../database/database.ts';
import { compile, parameter, queriesOf, sql, withBuilder } from '../database/drizzle.ts';
import { isBadInterval } from '../database/faults.ts';
import { stationSchema, tables } from '../database/schema.ts';
import { AppError } from '../errors.ts';

/** The default. A summary may cover 30 days, and five more allow for chunks that are dropped late. */
const STANDARD = '35 days';
const LEAST = '30 days';

const ENOUGH = compile(sql<{ enough: boolean }>`
  select ${parameter('value')}::interval > '${sql.raw(LEAST)}'::interval as enough`);

/** @returns what is wrong with a retention, if anything. @param name the variable or the option that sets it */
export async function retentionFault(run: RunStatement, name: string, value: string | undefined) {
  if (value === undefined || value === 'off') return undefined;
  try {
    const [row] = await queriesOf(run).query(ENOUGH, { value });
    if (row?.enough) return undefined;
    return `${name} is '${value}', but must be more than ${LEAST}, the longest period of a summary, or 'off'`;
  } catch (error) {
    if (!isBadInterval(error)) throw error;
    return `${name} is '${value}', but must be an interval such as '${STANDARD}', or 'off'`;
  }
}

const PRESENT = compile(sql<{ retention: string | null; filled: boolean; older: boolean }>`
  select raw_retention as retention, exists (select from ${tables.points}) as filled,
    exists (select from ${tables.points} where time < now() - '${sql.raw(STANDARD)}'::interval) as older
  from ${tables.refreshes}`);

/**
 * Without `wanted`, keeps an existing setting. If there is none, a database without points gets the standard; a
 * database with points keeps them all until the operator sets a retention.
 *
 * @param wanted an interval, or `off`
 * @param source.name the variable or the option that sets `wanted`
 * @param source.again the command that the warning names, to run after setting a retention
 * @throws AppError BAD_REQUEST with that name if `wanted` is not an interval or is too short
 */
export async function setRawRetention(
  run: RunStatement,
  wanted: string | undefined,
  log: Log,
  { name = 'RAW_RETENTION', again = 'run `npm run migrate` again' } = {},
): Promise<void> {
  if (wanted !== undefined) return store(run, 'raw', wanted, name);
  const [present] = await queriesOf(run).query(PRESENT);
  if (!present || present.retention !== null) return;
  if (!present.filled) await store(run, 'raw', STANDARD, name);
  else if (present.older)
    log.warn(
      {},
      `audio_data holds points older than ${STANDARD}, so none are dropped until you set how long to keep them: ` +
        `set RAW_RETENTION to an interval such as '${STANDARD}', or to 'off', and ${again}`,
    );
}

/** @param name the variable or the option that sets it. @throws AppError BAD_REQUEST as {@link setRawRetention} */
export async function setHistoryRetention(
  run: RunStatement,
  wanted: string | undefined,
  name = 'HISTORY_RETENTION',
): Promise<void> {
  if (wanted !== undefined) await store(run, 'history', wanted, name);
}

/** Lets what is older than a changed retention be removed at once: the operator caused this, not a wrong clock. */
async function store(run: RunStatement, of: 'raw' | 'history', wanted: string, name: string): Promise<void> {
  const fault = await retentionFault(run, name, wanted);
  if (fault !== undefined) throw new AppError('BAD_REQUEST', fault);
  const { refreshes } = tables;
  const until = sql`now() - nullif(${wanted}, 'off')::interval`;
  await withBuilder(queriesOf(run), (builder) =>
    builder
      .update(refreshes)
      .set(
        of === 'raw'
          ? { raw_retention: wanted, removed_until: until }
          : { history_retention: wanted, history_removed_until: until },
      )
      .where(sql`${refreshes[`${of}_retention`]} is distinct from ${wanted}`),
  );
}

const REMOVE = compile(sql<{ removed: number | null }>`
  select ${stationSchema}.audio_data_remove_old(${parameter('ran')}::float8) as removed from ${tables.refreshes}`);

/** How long a round removes: if points keep arriving for a day of history, it would not end by itself. */
const MOST_MS = 60_000;

/**
 * Removes days older than the retention, in steps, for at most a minute. The next call removes the rest.
 *
 * @param ranSeconds how long the caller has run since its previous call
 * @param goesOn called before each step
 * @returns the number of steps, and whether old points stay, in case the clock is wrong, until the caller has run for
 *   a day. No steps on a standby, or while another process refreshes or removes
 */
export async function removeOldPoints(run: RunStatement, ranSeconds: number, goesOn = () => true) {
  const until = performance.now() + MOST_MS;
  for (let steps = 0; ; steps++) {
    if (!goesOn() || performance.now() > until) return { steps, isLate: false };
    const [row] = await queriesOf(run).query(REMOVE, { ran: steps === 0 ? ranSeconds : 0 });
    if (row?.removed !== 1) return { steps, isLate: row?.removed === -1 };
  }
}

const OLD = compile(sql<{ retention: string }>`
  select raw_retention as retention from ${tables.refreshes}
  where exists (
    select from ${tables.points} where time < now() - nullif(raw_retention, 'off')::interval - interval '1 day')`);

/** Warns that points older than the retention will be removed soon. */
export async function warnOfOldPoints(run: RunStatement, log: Log): Promise<void> {
  const [found] = await queriesOf(run).query(OLD);
  if (found)
    log.warn(
      {},
      `Points older than ${found.retention} will soon be removed: to keep them, set RAW_RETENTION to 'off'`,
    );
}
