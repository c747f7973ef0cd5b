// Admits a recorder if its levels can be compared with earlier ones, and if no other live recorder stores points:
// results from mixed points would describe neither recorder.
import { join } from 'node:path';
import { BadInput } from '../../commands/input-files.ts';
import type { Database, Queries } from '../../database/database.ts';
import { compile, parameter, sql, withBuilder } from '../../database/drizzle.ts';
import { isAway } from '../../database/faults.ts';
import { takeFileLock } from '../../database/file-lock.ts';
import { tables } from '../../database/schema.ts';
import { AppError } from '../../errors.ts';
import { latestPeriods } from './periods/note-periods.ts';
import { assertLevelsCompare, type RecordedAs } from './periods/recorded-as.ts';
import type { Spool } from './spool/spool.ts';

/** Must be longer than any interval between points, because only new points renew the lease. */
const LEASE = '2 minutes';

/** The first condition lets audio_data_leases_idx find leases among the keys of a week. */
const others = sql`
  select from ${tables.spools}
  where segments <> '{[0,1)}' and spool <> ${parameter('spool')} and live_until > clock_timestamp()`;
const HELD = compile(sql<{ held: boolean }>`select exists (${others}) as held`);
/** Keeps two simultaneous recorders from both finding the lease free. */
const LOCK = compile(sql`select pg_advisory_xact_lock(728110427, '${tables.points}'::regclass::oid::int)`);

const TAKEN = 'Another live recorder stores points here';
const ADVICE =
  'give this one a station of its own (`npm run station -- add NAME`, then --station NAME), or mix the two with --add';

/**
 * @param start the time of the first point, canonical
 * @param isAlone whether the recorder is live and must not be mixed with others
 * @param db undefined if the recorder opens it only at its end: the last published periods are then checked instead
 * @returns a function that releases the spool
 * @throws AppError BAD_REQUEST if the levels cannot be compared with earlier ones
 * @throws BadInput if another live recorder writes to the spool, or stores in the database from another spool
 */
export async function admitRecorder(
  { as, start, isAlone }: { as?: RecordedAs | undefined; start: string; isAlone: boolean },
  spool: Spool,
  db?: Database,
): Promise<() => void> {
  if (as) assertLevelsCompare(as, await latestPeriods(spool, db), start);
  if (!isAlone) return () => {};
  if (db) await assertLeaseIsFree(db, spool);
  const free = takeFileLock(join(spool.folder, 'recorder.lock'));
  if (!free) throw new BadInput(`Another live recorder writes to ${spool.folder}: ${ADVICE}`);
  return free;
}

/** If the database is down, {@link renewLease} checks the lease later. */
async function assertLeaseIsFree(db: Database, { id }: Spool): Promise<void> {
  const rows = await db.query(HELD, { spool: id }).catch((error) => {
    if (isAway(error)) return [];
    throw error;
  });
  if (rows[0]?.held) throw new BadInput(`${TAKEN}, or did within the last ${LEASE}: ${ADVICE}`);
}

/** Runs in the transaction that stores live points. @throws AppError SERVICE_UNAVAILABLE if another spool holds it */
export async function renewLease(transaction: Queries, { id }: Spool): Promise<void> {
  await transaction.query(LOCK);
  const [row] = await transaction.query(HELD, { spool: id });
  if (row?.held) throw new AppError('SERVICE_UNAVAILABLE', `${TAKEN}: ${ADVICE}`);
  const { spools } = tables;
  const live_until = sql`clock_timestamp() + '${sql.raw(LEASE)}'`;
  await withBuilder(transaction, (builder) =>
    builder
      .insert(spools)
      .values({ spool: id, segments: '', live_until })
      .onConflictDoUpdate({ target: spools.spool, set: { live_until: sql`excluded.live_until` } }),
  );
}
