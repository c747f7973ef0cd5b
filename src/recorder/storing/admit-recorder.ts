// Admits a recorder: its levels must compare with those before, and one live recorder at a time stores its points, or those
// of two would be mixed, and every answer be about neither.
import { join } from 'node:path';
import { compile, parameter } from '../../db/compile.ts';
import type { Database, Run } from '../../db/database.ts';
import { sql } from '../../db/drizzle.ts';
import { isAway } from '../../db/faults.ts';
import { takeFileLock } from '../../db/file-lock.ts';
import { AppError } from '../../errors.ts';
import { BadInput } from '../bad-input.ts';
import { assertLevelsCompare } from './periods/assert-levels-compare.ts';
import { askForPeriods } from './periods/published-periods.ts';
import type { RecordedAs } from './periods/recorded-as.ts';
import type { Spool } from './spool/spool.ts';

interface Recorder {
  /** How its points are recorded, if that is known. */
  readonly as?: RecordedAs | undefined;
  /** The time of its first point, canonical. */
  readonly start: string;
  /** Whether it is live, and its points are not to be added to those of others. */
  readonly isAlone: boolean;
}

/** Longer than any interval of points: each batch renews it. */
const LEASE = '2 minutes';

const others = sql`select from audio_data_spools where spool <> ${parameter('spool')} and live_until > clock_timestamp()`;
const HELD = compile(sql`select exists (${others}) as held`);
const RENEW = compile(sql`
  insert into audio_data_spools (spool, segments, live_until)
  values (${parameter('spool')}, '', clock_timestamp() + '${sql.raw(LEASE)}')
  on conflict (spool) do update set live_until = excluded.live_until`).text;
/** Two who store at once do not both find it free. */
const LOCK = "select pg_advisory_xact_lock(728110427, 'audio_data'::regclass::oid::int)";

const TAKEN = 'Another live recorder stores its points here';
const ADVICE =
  'give this one a station of its own (`npm run station -- add NAME`, then --station NAME), or mix the two with --add';

/**
 * @param db undefined if the recorder opens it at its end: then what it said last counts
 * @returns what gives the spool back
 * @throws AppError BAD_REQUEST if the levels do not compare with those before
 * @throws BadInput if another recorder writes to the spool, or that of another spool stores in the database
 */
export async function admitRecorder(
  { as, start, isAlone }: Recorder,
  spool: Spool,
  db?: Database,
): Promise<() => void> {
  if (as) assertLevelsCompare(as, await askForPeriods(spool, db), start);
  if (!isAlone) return () => {};
  if (db) await assertLeaseIsFree(db, spool);
  const free = takeFileLock(join(spool.folder, 'recorder.lock'));
  if (!free) throw new BadInput(`Another live recorder writes to ${spool.folder}: ${ADVICE}`);
  return free;
}

/** A database that is away says later whether it is free. */
async function assertLeaseIsFree(db: Database, { id }: Spool): Promise<void> {
  const rows = await db.query<{ held: boolean }>(HELD, { spool: id }).catch((error) => {
    if (isAway(error)) return [];
    throw error;
  });
  if (rows[0]?.held) throw new BadInput(`${TAKEN}, or did within the last ${LEASE}: ${ADVICE}`);
}

/**
 * Renews the lease of a spool, in the transaction that stores live points of it.
 *
 * @throws AppError SERVICE_UNAVAILABLE if the recorder of another spool has it: it ends two minutes after that stored last
 */
export async function renewLease(run: Run, { id }: Spool): Promise<void> {
  await run(LOCK, []);
  const [row] = await run<{ held: boolean }>(HELD.text, [id]);
  if (row?.held) throw new AppError('SERVICE_UNAVAILABLE', `${TAKEN}: ${ADVICE}`);
  await run(RENEW, [id]);
}
