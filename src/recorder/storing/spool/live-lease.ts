// One live recorder at a time: the points of two would be mixed, and every answer be about neither.
import { join } from 'node:path';
import { compile, parameter } from '../../../db/compile.ts';
import type { Database, Run } from '../../../db/database.ts';
import { sql } from '../../../db/drizzle.ts';
import { takeFileLock } from '../../../db/file-lock.ts';
import { AppError } from '../../../errors.ts';
import { BadInput } from '../../bad-input.ts';
import type { Spool } from './spool.ts';

/** Longer than any interval of points: each batch renews it. */
const LEASE = '2 minutes';

const others = sql`select from audio_data_spools where spool <> ${parameter('spool')} and live_until > clock_timestamp()`;
const HELD = compile(sql`select exists (${others}) as held`);
const RENEW = compile(sql`
  insert into audio_data_spools (spool, segments, live_until)
  values (${parameter('spool')}, '', clock_timestamp() + '${sql.raw(LEASE)}')
  on conflict (spool) do update set live_until = excluded.live_until`).text;
/** Two who store at once do not both find it free. */
const LOCK = 'select pg_advisory_xact_lock(7281104227)';

const TAKEN = 'Another live recorder stores its points here';
const ADVICE = 'give this one a database of its own, or mix the two with --add';

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

/** @throws BadInput if the recorder of another spool stores its points in this database */
export async function assertLeaseIsFree(db: Database, { id }: Spool): Promise<void> {
  const [row] = await db.query<{ held: boolean }>(HELD, { spool: id });
  if (row?.held) throw new BadInput(`${TAKEN}, or did within the last ${LEASE}: ${ADVICE}`);
}

/**
 * @returns what gives the spool back
 * @throws BadInput if another recorder writes to it
 */
export function holdForLive({ folder }: Spool): () => void {
  const free = takeFileLock(join(folder, 'recorder.lock'));
  if (!free) throw new BadInput(`Another live recorder writes to ${folder}: ${ADVICE}`);
  return free;
}
