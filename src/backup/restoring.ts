// Stores the points of a backup in steps, each exactly once, so that an interrupted restore can continue.
import { createHash } from 'node:crypto';
import { BadInput } from '../commands/input-files.ts';
import { stepsOf } from '../commands/steps.ts';
import { addChecks } from '../database/calibrations.ts';
import type { Database, Queries, Transaction } from '../database/database.ts';
import { compile, eq, parameter, sql, withBuilder } from '../database/drizzle.ts';
import { replaceExclusions } from '../database/exclusions.ts';
import { putPeriod } from '../database/periods.ts';
import { tables } from '../database/schema.ts';
import { addOverload } from '../database/store-overload.ts';
import { noteStored } from '../database/stored-once.ts';
import type { Head } from './backup-format.ts';
import { addHistoryLines } from './history-lines.ts';
import { byMinute } from './minute-runs.ts';

/** Keeps two simultaneous restores from both finding the table empty. */
const LOCK = compile(sql`select pg_advisory_xact_lock(728110425, '${tables.points}'::regclass::oid::int)`);
const STATE = compile(sql<{ filled: boolean; begun: boolean }>`
  select exists (select from ${tables.points}) or exists (select from ${tables.history}) as filled,
    exists (select from ${tables.spools} where spool = ${parameter('id')}) as begun`);

/** The number of the steps of history, far from those of points. */
const HISTORY_STEP = 2 ** 40;

class NotEmpty extends BadInput {}

/** @param name of the database, in messages. @throws BadInput if it has points that this restore did not store */
export async function createRestoring(db: Database, name: string, head: Head) {
  const id = `restore-${createHash('sha256').update(JSON.stringify(head)).digest('hex').slice(0, 16)}`;

  /** @returns whether this continues an interrupted restore */
  async function isBegun({ query }: Queries): Promise<boolean> {
    const [state] = await query(STATE, { id });
    if (state?.filled && !state.begun)
      throw new NotEmpty(`${name} already has points: restore into a database or a station without points`);
    return state?.filled === true;
  }

  async function forget(queries: Queries): Promise<void> {
    await withBuilder(queries, (builder) => builder.delete(tables.spools).where(eq(tables.spools.spool, id)));
  }

  async function begin(transaction: Transaction): Promise<void> {
    await forget(transaction); // an earlier restore of this file, whose points have been removed
    // these describe points that are gone
    await withBuilder(transaction, (builder) => builder.delete(tables.periods));
    await withBuilder(transaction, (builder) => builder.delete(tables.overload));
    for (const period of head.periods) await putPeriod(transaction, period);
    await addOverload(transaction, [byMinute(head.overload ?? [])]);
    await replaceExclusions(transaction, head.exclusions);
    await addChecks(transaction, head.calibrations);
  }

  await db.transaction(isBegun);
  return {
    /** @param lines whole lines of history. Adding them again changes nothing */
    addHistory: (lines: string): Promise<void> =>
      db.transaction(async (transaction) => {
        await transaction.query(LOCK);
        if (!(await isBegun(transaction))) await begin(transaction);
        await noteStored(transaction, id, [HISTORY_STEP]);
        await addHistoryLines(transaction, lines);
      }),
    /** @param onStored gets the number of points stored so far, after each step. @returns how many the backup has */
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
            await transaction.query(LOCK);
            const isGoingOn = await isBegun(transaction); // throws if another restore of the file has ended meanwhile
            if (number === 0 && !isGoingOn) await begin(transaction);
            if (await noteStored(transaction, id, [number])) await transaction.copy(step.rows());
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
    end: () => db.transaction(forget),
  };
}
