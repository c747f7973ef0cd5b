// Stores the points of a backup in steps, each exactly once, so that an interrupted restore can continue.
import { createHash } from 'node:crypto';
import { BadInput } from '../commands/input-files.ts';
import { stepsOf } from '../commands/steps.ts';
import { addChecks } from '../database/calibrations.ts';
import { compile } from '../database/compile.ts';
import type { Database, RunStatement, Transaction } from '../database/database.ts';
import { sql } from '../database/drizzle.ts';
import { replaceExclusions } from '../database/exclusions.ts';
import { putPeriod } from '../database/periods.ts';
import { tables } from '../database/schema.ts';
import { addOverload } from '../database/store-overload.ts';
import { noteStored } from '../database/stored-once.ts';
import type { Head } from './backup-format.ts';
import { byMinute } from './minute-runs.ts';

/** Keeps two simultaneous restores from both finding the table empty. */
const LOCK = compile(
  sql`select pg_advisory_xact_lock(728110425, '${tables.points}'::regclass::oid::int)`,
).text;
const STATE = compile(sql`
  select exists (select from ${tables.points}) as filled, exists (select from ${tables.spools} where spool = $1) as begun`).text;
const FORGET = compile(sql`delete from ${tables.spools} where spool = $1`).text;

/** The database has points that this restore did not store. */
class NotEmpty extends BadInput {}

/**
 * @param name the name of the database in messages
 * @throws BadInput if the database has points that this restore did not store
 */
export async function createRestoring(db: Database, name: string, head: Head) {
  const id = `restore-${createHash('sha256').update(JSON.stringify(head)).digest('hex').slice(0, 16)}`;

  /** @returns whether this continues an interrupted restore */
  async function isBegun(run: RunStatement): Promise<boolean> {
    const [state] = await run<{ filled: boolean; begun: boolean }>(STATE, [id]);
    if (state?.filled && !state.begun)
      throw new NotEmpty(`${name} already has points: restore into a database or a station without points`);
    return state?.filled === true;
  }

  async function begin({ run }: Transaction): Promise<void> {
    await run(FORGET, [id]); // an earlier restore of this file, whose points have been removed
    // these describe points that are gone
    await run(compile(sql`delete from ${tables.periods}`).text, []);
    await run(compile(sql`delete from ${tables.overload}`).text, []);
    for (const period of head.periods) await putPeriod(run, period);
    await addOverload(run, [byMinute(head.overload ?? [])]);
    await replaceExclusions(run, head.exclusions);
    await addChecks(run, head.calibrations);
  }

  await db.transaction(({ run }) => isBegun(run));
  return {
    /**
     * @param progress prints a line for the user
     * @param onStored gets the number of points stored so far, after each step
     * @returns how many points the backup has
     */
    async store(
      csv: AsyncIterable<string>,
      progress: (line: string) => void,
      onStored: (points: number) => void = () => {},
    ): Promise<number> {
      let points = 0;
      let number = 0;
      try {
        for await (const step of stepsOf(csv)) {
          await db.transaction(async (transaction) => {
            const { run, copy } = transaction;
            await run(LOCK, []);
            const isGoingOn = await isBegun(run); // throws if another restore of the file has ended meanwhile
            if (number === 0 && !isGoingOn) await begin(transaction);
            if (await noteStored(run, id, [number])) await copy(step.rows());
          });
          points += step.count;
          number += 1;
          onStored(points);
        }
      } catch (error) {
        if (number > 0 && !(error instanceof NotEmpty))
          progress(
            `${points.toLocaleString('en')} points are stored. Run the same command again to store the rest.`,
          );
        throw error;
      }
      if (number === 0) await db.transaction(begin);
      return points;
    },
    /** Marks the restore as complete: restoring the same backup again is then refused. */
    async end(): Promise<void> {
      await db.transaction(({ run }) => run(FORGET, [id]));
    },
  };
}
