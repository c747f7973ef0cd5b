// Reads and writes the ranges that statistics leave out: the rows of audio_data_exclusions.
import { type Exclusion, MOST_EXCLUSIONS } from '../contract/exclusions.ts';
import { AppError } from '../errors.ts';
import type { Queries, Transaction } from './database.ts';
import { and, compile, eq, inArray, min, slicesOf, sql, withBuilder } from './drizzle.ts';
import { tables } from './schema.ts';

const { exclusions } = tables;
const { id, since, until, made_at } = exclusions;

/** The columns as in {@link Exclusion}. */
export const exclusionColumns = { from: since, to: until, reason: exclusions.reason, by: exclusions.made_by };

/** Oldest first, with their ids. */
export const allExclusions = (queries: Queries) =>
  withBuilder(queries, (builder) =>
    builder
      .select({ id, ...exclusionColumns, made_at })
      .from(exclusions)
      .orderBy(since, until, id),
  );

/** @throws AppError BAD_REQUEST, with the name of the station, if it already has the maximum number of exclusions */
export async function assertMayExclude(queries: Queries, station: string): Promise<void> {
  const count = await withBuilder(queries, (builder) => builder.$count(exclusions));
  if (count >= MOST_EXCLUSIONS)
    throw new AppError(
      'BAD_REQUEST',
      `The station ${station} has ${MOST_EXCLUSIONS.toLocaleString('en')} exclusions, which is the maximum: remove some`,
    );
}

/** Serialises concurrent additions, so that each counts the others. */
const LOCK = compile(sql`lock table ${exclusions} in share row exclusive mode`);

/** @returns the new id. @throws what {@link assertMayExclude} throws */
export async function addExclusion(
  transaction: Transaction,
  station: string,
  { from, to, reason, by }: Omit<Exclusion, 'made_at'>,
): Promise<number> {
  await transaction.query(LOCK);
  await assertMayExclude(transaction, station);
  const row = { since: from, until: to, reason, made_by: by };
  const [added] = await withBuilder(transaction, (builder) =>
    builder.insert(exclusions).values(row).returning({ id }),
  );
  if (!added) throw new Error('The exclusion was not stored');
  return added.id;
}

type Stretch = Pick<Exclusion, 'from' | 'to'>;

/** @returns the range that was excluded, canonical; undefined if no exclusion has that id */
export async function removeExclusion(queries: Queries, removedId: number): Promise<Stretch | undefined> {
  const [removed] = await withBuilder(queries, (builder) =>
    builder.delete(exclusions).where(eq(id, removedId)).returning({ from: since, to: until }),
  );
  return removed;
}

/** Removes an exclusion of exactly that range. @returns its id, or undefined if there is none */
export async function removeEqualExclusion(queries: Queries, { from, to }: Stretch) {
  const [removed] = await withBuilder(queries, (builder) => {
    const isEqual = and(eq(since, from), eq(until, to));
    const first = builder
      .select({ id: min(id) })
      .from(exclusions)
      .where(isEqual);
    return builder.delete(exclusions).where(inArray(id, first)).returning({ id });
  });
  return removed?.id;
}

export async function replaceExclusions(transaction: Transaction, kept: readonly Exclusion[]): Promise<void> {
  await withBuilder(transaction, async (builder) => {
    await builder.delete(exclusions);
    for (const some of slicesOf(kept))
      await builder
        .insert(exclusions)
        .values(some.map(({ from, to, by, ...rest }) => ({ since: from, until: to, made_by: by, ...rest })));
  });
}
