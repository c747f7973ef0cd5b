// Reads and writes the ranges that statistics leave out: the rows of audio_data_exclusions.
import { type Exclusion, MOST_EXCLUSIONS } from '../contract/exclusions.ts';
import { AppError } from '../errors.ts';
import { compile } from './compile.ts';
import type { Queries } from './database.ts';
import { and, eq, inArray, min, QueryBuilder, sql } from './drizzle.ts';
import { withBuilder } from './query-builder.ts';
import { tables } from './schema.ts';

const { exclusions } = tables;
const { id, since, until } = exclusions;
const { reason, made_by: by, made_at } = exclusions;

/** The columns as in {@link Exclusion}. */
export const exclusionColumns = { from: since, to: until, reason, by };

/** Oldest first. */
export const allExclusions = (queries: Queries): Promise<Exclusion[]> =>
  withBuilder(queries, (builder) =>
    builder
      .select({ ...exclusionColumns, made_at })
      .from(exclusions)
      .orderBy(since, until, id),
  );

/** Oldest first, with their ids. */
export const listExclusions = (queries: Queries) =>
  withBuilder(queries, (builder) =>
    builder
      .select({ id, ...exclusionColumns })
      .from(exclusions)
      .orderBy(since, until, id),
  );

/** Serialises concurrent additions, so that each counts the others. */
const LOCK = compile(sql`lock table ${exclusions} in share row exclusive mode`);

/**
 * @param transaction serialises concurrent additions
 * @returns the new id
 * @throws AppError BAD_REQUEST if the station already has the maximum number
 */
export async function addExclusion(
  transaction: Queries,
  { from, to, reason, by }: Omit<Exclusion, 'made_at'>,
): Promise<number> {
  await transaction.query(LOCK);
  const count = await withBuilder(transaction, (builder) => builder.$count(exclusions));
  if (count >= MOST_EXCLUSIONS)
    throw new AppError(
      'BAD_REQUEST',
      `The station has ${MOST_EXCLUSIONS.toLocaleString('en')} exclusions, which is the maximum: remove some`,
    );
  const row = { since: from, until: to, reason, made_by: by };
  const [added] = await withBuilder(transaction, (builder) =>
    builder.insert(exclusions).values(row).returning({ id }),
  );
  if (!added) throw new Error('The exclusion was not stored');
  return added.id;
}

type Stretch = Pick<Exclusion, 'from' | 'to'>;

/**
 * @returns the range that was excluded, canonical
 * @throws AppError NOT_FOUND if no exclusion has that id
 */
export async function removeExclusion(queries: Queries, number: number): Promise<Stretch> {
  const [removed] = await withBuilder(queries, (builder) =>
    builder.delete(exclusions).where(eq(id, number)).returning({ from: since, to: until }),
  );
  if (!removed)
    throw new AppError(
      'NOT_FOUND',
      `There is no exclusion ${number}: \`npm run exclude -- list\` lists them`,
    );
  return removed;
}

/** Removes an exclusion of exactly that range. @returns its id, or undefined if there is none */
export async function removeEqualExclusion(
  queries: Queries,
  { from, to }: Stretch,
): Promise<number | undefined> {
  const isEqual = and(eq(since, from), eq(until, to));
  const first = new QueryBuilder()
    .select({ id: min(id) })
    .from(exclusions)
    .where(isEqual);
  const [removed] = await withBuilder(queries, (builder) =>
    builder.delete(exclusions).where(inArray(id, first)).returning({ id }),
  );
  return removed?.id;
}

/** Replaces all exclusions. */
export async function replaceExclusions(transaction: Queries, kept: readonly Exclusion[]): Promise<void> {
  const rows = kept.map(({ from, to, reason, by, made_at }) => ({
    since: from,
    until: to,
    reason,
    made_by: by,
    made_at,
  }));
  await withBuilder(transaction, async (builder) => {
    await builder.delete(exclusions);
    if (rows.length > 0) await builder.insert(exclusions).values(rows);
  });
}
