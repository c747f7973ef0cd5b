// What statistics leave out: reads and writes the rows of audio_data_exclusions.
import { type Exclusion, MOST_EXCLUSIONS } from '../contract/exclusions.ts';
import { AppError } from '../errors.ts';
import { compile } from './compile.ts';
import type { Database, Run } from './database.ts';
import { sql } from './drizzle.ts';
import { instantText } from './statement-values.ts';

const COLUMNS = sql`${instantText(sql`since`)} as "from", ${instantText(sql`until`)} as "to", reason, made_by as "by",
  ${instantText(sql`made_at`)} as made_at`;

/** Oldest first. */
export const ALL_EXCLUSIONS = compile(
  sql`select ${COLUMNS} from audio_data_exclusions order by since, until, id`,
);

const listed = compile(
  sql`select id::float8 as id, ${COLUMNS} from audio_data_exclusions order by since, until, id`,
);

export interface StoredExclusion extends Exclusion {
  readonly id: number;
}

/** Oldest first. */
export const listExclusions = (db: Database): Promise<StoredExclusion[]> => db.query(listed);

/** Two that are made at once are counted one after the other. */
const LOCK = 'lock table audio_data_exclusions in share row exclusive mode';
const COUNT = 'select count(*)::int as count from audio_data_exclusions';
const ADD = `
  insert into audio_data_exclusions (since, until, reason, made_by) values ($1, $2, $3, $4) returning id::float8 as id`;
const REMOVE = 'delete from audio_data_exclusions where id = $1 returning id::float8 as id';

/**
 * @param run a transaction
 * @returns its id
 * @throws AppError BAD_REQUEST if the station has as many as it may have
 */
export async function addExclusion(
  run: Run,
  { from, to, reason, by }: Omit<Exclusion, 'made_at'>,
): Promise<number> {
  await run(LOCK, []);
  const [found] = await run<{ count: number }>(COUNT, []);
  if (found && found.count >= MOST_EXCLUSIONS)
    throw new AppError(
      'BAD_REQUEST',
      `The station has ${MOST_EXCLUSIONS.toLocaleString('en')} exclusions, and may have no more: remove some`,
    );
  const [row] = await run<{ id: number }>(ADD, [from, to, reason, by]);
  if (!row) throw new Error('The exclusion was not stored');
  return row.id;
}

/** @throws AppError NOT_FOUND if there is none of that id */
export async function removeExclusion(run: Run, id: number): Promise<void> {
  const [removed] = await run<{ id: number }>(REMOVE, [id]);
  if (!removed)
    throw new AppError('NOT_FOUND', `There is no exclusion ${id}: \`npm run exclude -- list\` lists them`);
}

const REPLACE = `
  insert into audio_data_exclusions (since, until, reason, made_by, made_at)
  select * from json_to_recordset($1) as kept (
    "from" timestamptz, "to" timestamptz, reason text, "by" text, made_at timestamptz)`;

/** In place of all that are there. @param run a transaction */
export async function replaceExclusions(run: Run, exclusions: readonly Exclusion[]): Promise<void> {
  await run('delete from audio_data_exclusions', []);
  await run(REPLACE, [JSON.stringify(exclusions)]);
}
