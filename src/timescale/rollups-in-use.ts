// The database and its rollups: whether they can be trusted now, and if not, why.
import type { Database, Statement } from '../db/database.ts';
import { notesEveryChange, unexpectedColumn } from './internal-catalog.ts';
import { ROLLUPS } from './rollups.ts';

export interface Rollups {
  /** Whether answers may come from them. */
  inUse(): Promise<boolean>;
}

/** What a question is put to. */
export interface Store {
  readonly db: Database;
  readonly rollups: Rollups;
}

export const NO_ROLLUPS: Rollups = { inUse: async () => false };

/** How long an answer holds before the database is asked again. */
const REMEMBERED_MS = 60_000;

/** Checks the rollups of a database once a minute, when asked. Where they cannot be used, the log says why. */
export function watchRollups(db: Database, log?: { warn(fields: object, message: string): void }): Rollups {
  let told: string | undefined;
  let answer: Promise<boolean> | undefined;
  let until = 0;
  async function look(): Promise<boolean> {
    const { usable, reason } = await rollupState(db);
    if (reason !== undefined && reason !== told)
      log?.warn({ reason }, 'Statistics are read from the raw points, which is slower');
    told = reason;
    return usable;
  }
  return {
    inUse() {
      if (answer && performance.now() < until) return answer;
      until = performance.now() + REMEMBERED_MS;
      answer = look();
      answer.catch(() => {
        until = 0;
      });
      return answer;
    },
  };
}

const names = `array[${ROLLUPS.map(({ name }) => `'${name}'`).join(', ')}]`;

const settings: Statement = {
  text: `
    select current_setting('timescaledb.skip_cagg_invalidation', true) is not distinct from 'on' as unlogged,
      array(select name from unnest(${names}) as name where to_regclass(name) is null) as missing,
      array(select name from unnest(${names}) as name
        where not has_table_privilege(to_regclass(name), 'select')) as forbidden,
      exists (select from pg_trigger where tgrelid = to_regclass('audio_data')
        and tgname = 'audio_data_await_refreshes' and tgenabled in ('O', 'A')) as guarded,
      exists (select from pg_extension where extname = 'timescaledb') as timescaledb`,
  parameters: [],
};

interface Settings {
  unlogged: boolean;
  missing: string[];
  forbidden: string[];
  guarded: boolean;
  timescaledb: boolean;
}

/** @returns whether there are rollups, and why those that are there cannot be used */
async function rollupState(db: Database): Promise<{ usable: boolean; reason?: string }> {
  const [found] = await db.query<Settings>(settings);
  if (!found?.timescaledb || found.missing.length === ROLLUPS.length) return { usable: false };
  const reason = settingsFault(found) ?? (await unexpectedColumn(db));
  if (reason !== undefined) return { usable: false, reason };
  if (await notesEveryChange(db)) return { usable: true };
  return { usable: false, reason: 'not every change of a point is noted: run `npm run migrate`' };
}

function settingsFault({ missing, forbidden, guarded, unlogged }: Settings): string | undefined {
  if (missing.length > 0) return `the database has no ${missing.join(', ')}`;
  if (forbidden.length > 0)
    return `this role may not read ${forbidden.join(', ')}: run \`npm run migrate\` with READER_ROLE`;
  if (!guarded)
    return 'updates of points do not wait for refreshes: the trigger audio_data_await_refreshes is not there or off';
  if (unlogged) return 'timescaledb.skip_cagg_invalidation is on: changes of points are not logged';
  return undefined;
}
