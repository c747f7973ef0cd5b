// Reads and writes the ranges that statistics leave out: the rows of audio_data_exclusions.
import { type Exclusion, MOST_EXCLUSIONS } from '../contract/exclusions.ts';
import { AppError } from '../errors.ts';
import { compile } from './compile.ts';
import type { Database, RunStatement } from './database.ts';
import { sql } from './drizzle.ts';
import { tables } from './schema.ts';
import { instantText } from './statement-values.ts';

const COLUMNS = sql`${instantText(sql`since`)} as "from", ${instantText(sql`until`)} as "to", reason, made_by as "by",
  ${instantText(sql`made_at`)} as made_at`;

/** Oldest first. */
export const ALL_EXCLUSIONS = compile(
  sql`select ${COLUMNS} from ${tables.exclusions} order by since, until, id`,
);

const listed = compile(
  sql`select id::float8 as id, ${COLUMNS} from ${tables.exclusions} order by since, until, id`,
);

export interface StoredExclusion extends Exclusion {
  readonly id: number;
}

/** Oldest first. */
export const listExclusions = (db: Database): Promise<StoredExclusion[]> => db.query(listed);

/** Serialises concurrent additions, so that each counts the others. */
const LOCK = compile(sql`lock table ${tables.exclusions} in share row exclusive mode`).text;
const COUNT = compile(sql`select count(*)::int as count from ${tables.exclusions}`).text;
const ADD = compile(sql`
  insert into ${tables.exclusions} (since, until, reason, made_by) values ($1, $2, $3, $4) returning id::float8 as id`).text;
const REMOVE = compile(sql`
  delete from ${tables.exclusions} where id = $1 returning to_json(since) #>> '{}' as "from", to_json(until) #>> '{}' as "to"`).text;
const REMOVE_EQUAL = compile(sql`
  delete from ${tables.exclusions}
  where id = (select min(id) from ${tables.exclusions} where since = $1::timestamptz and until = $2::timestamptz)
  returning id::float8 as id`).text;

/**
 * @param run a transaction
 * @returns the new id
 * @throws AppError BAD_REQUEST if the station already has the maximum number
 */
export async function addExclusion(
  run: RunStatement,
  { from, to, reason, by }: Omit<Exclusion, 'made_at'>,
): Promise<number> {
  await run(LOCK, []);
  const [found] = await run<{ count: number }>(COUNT, []);
  if (found && found.count >= MOST_EXCLUSIONS)
    throw new AppError(
      'BAD_REQUEST',
      `The station has ${MOST_EXCLUSIONS.toLocaleString('en')} exclusions, which is the maximum: remove some`,
    );
  const [row] = await run<{ id: number }>(ADD, [from, to, reason, by]);
  if (!row) throw new Error('The exclusion was not stored');
  return row.id;
}

type Stretch = Pick<Exclusion, 'from' | 'to'>;

/**
 * @returns the range that was excluded, in ISO 8601
 * @throws AppError NOT_FOUND if no exclusion has that id
 */
export async function removeExclusion(run: RunStatement, id: number): Promise<Stretch> {
  const [removed] = await run<Stretch>(REMOVE, [id]);
  if (!removed)
    throw new AppError('NOT_FOUND', `There is no exclusion ${id}: \`npm run exclude -- list\` lists them`);
  return removed;
}

/** Removes the exclusion of exactly that range. @returns its id, or undefined if there is none */
export async function removeEqualExclusion(
  run: RunStatement,
  { from, to }: Stretch,
): Promise<number | undefined> {
  const [removed] = await run<{ id: number }>(REMOVE_EQUAL, [from, to]);
  return removed?.id;
}

const REPLACE = compile(sql`
  insert into ${tables.exclusions} (since, until, reason, made_by, made_at)
  select * from json_to_recordset($1) as kept (
    "from" timestamptz, "to" timestamptz, reason text, "by" text, made_at timestamptz)`).text;

/** Replaces all exclusions. @param run a transaction */
export async function replaceExclusions(run: RunStatement, exclusions: readonly Exclusion[]): Promise<void> {
  await run(compile(sql`delete from ${tables.exclusions}`).text, []);
  await run(REPLACE, [JSON.stringify(exclusions)]);
}
