// Says whether the rollups of a database can be trusted now, and if not, why.
import type { Database, Statement } from '../db/database.ts';
import { FUNCTIONS, NOTES, REFRESHES, ROLLUPS } from '../db/rollups.ts';
import { notesEveryChange, unexpectedColumn } from '../timescale/internal-catalog.ts';
import type { Log } from '../timescale/policies.ts';
import { createHistogramCache } from './histogram-cache.ts';
import { type RollupState, rollupState } from './rollup-state.ts';
import type { Rollups, WhyNot } from './store.ts';

/** An older state has likely changed: its plan would be dropped after the statement ran. */
const RECENT_MS = 5000;

/** How long a check is good for. */
const REMEMBERED_MS = 60_000;

/** Checks the rollups of a database when asked, at most once a minute. Logs why if they cannot be used. */
export function createRollups(db: Database, log?: Pick<Log, 'warn'>): Rollups {
  let logged: string | undefined;
  let fault: Fault | undefined;
  let schema: string | undefined;
  let areTables = false;
  let answer: Promise<boolean> | undefined;
  let until = 0;
  const seen = new Map<boolean, { state: RollupState; at: number }>();
  async function check(): Promise<boolean> {
    const [found] = await db.query<Settings>(settings);
    areTables = found?.areTables ?? false;
    schema = found && !areTables ? (found.timescaledb ?? undefined) : undefined;
    fault = await rollupFault(db, found);
    const reason = fault?.reason;
    if (reason !== undefined && reason !== logged)
      log?.warn({ reason }, 'Statistics are read from the raw points, which is slower');
    logged = reason;
    return fault === undefined;
  }
  function inUse(): Promise<boolean> {
    if (answer && performance.now() < until) return answer;
    until = performance.now() + REMEMBERED_MS;
    answer = check();
    answer.catch(() => {
      until = 0;
    });
    return answer;
  }
  return {
    inUse,
    timescaledb: async () => ((await inUse()) ? schema : undefined),
    areTables: async () => (await inUse()) && areTables,
    whyNot: () => fault?.kind,
    async recentState(withFresh) {
      const last = seen.get(withFresh);
      if (last && performance.now() - last.at < RECENT_MS) return last.state;
      return rollupState(db, withFresh);
    },
    remember(state) {
      const last = { state, at: performance.now() };
      seen.set(false, last);
      if (state.fresh) seen.set(true, last);
    },
    histograms: createHistogramCache(db),
  };
}

const arrayOf = (texts: readonly string[]) => `array[${texts.map((text) => `'${text}'`).join(', ')}]`;
const names = `unnest(${arrayOf(ROLLUPS.map(({ name }) => name))}) as name`;
const notes = `unnest(${arrayOf(NOTES)}) as name`;
const functions = `unnest(${FUNCTIONS}) as name`;

const settings: Statement = {
  text: `
    select current_setting('timescaledb.skip_cagg_invalidation', true) is not distinct from 'on' as unlogged,
      array(select name from ${names} where to_regclass(name) is null)
        || array(select name from ${functions} where to_regprocedure(name) is null) as missing,
      array(select name from ${names} where not has_table_privilege(to_regclass(name), 'select'))
        || array(select name from ${notes} where not has_table_privilege(to_regclass(name), 'select'))
        || array(select name from ${functions} where not has_function_privilege(to_regprocedure(name), 'execute'))
        || array(select name from unnest(${REFRESHES}) as name
          where not has_function_privilege(to_regprocedure(name), 'execute'))
        as forbidden,
      to_regclass('audio_data_changes') is not null as "areTables",
      exists (select from pg_trigger where tgrelid = to_regclass('audio_data')
        and tgname = 'audio_data_await_refreshes' and tgenabled in ('O', 'A')) as guarded,
      (select nspname from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
        where extname = 'timescaledb') as timescaledb`,
  parameters: [],
};

const noting: Statement = {
  text: 'select audio_data_noting() is not null as noted',
  parameters: [],
};

interface Settings {
  /** Whether the rollups are tables, and not TimescaleDB's aggregates. */
  areTables: boolean;
  unlogged: boolean;
  missing: string[];
  forbidden: string[];
  guarded: boolean;
  /** Its schema. */
  timescaledb: string | null;
}

const UNNOTED = 'not every change of a point is noted: run `npm run migrate`';

interface Fault {
  readonly kind: WhyNot;
  /** For the log; undefined if the database is meant to have no rollups. */
  readonly reason?: string;
}

/** @returns why the rollups cannot be used; undefined if they can */
async function rollupFault(db: Database, found: Settings | undefined): Promise<Fault | undefined> {
  if (!found || ROLLUPS.every(({ name }) => found.missing.includes(name))) return { kind: 'none' };
  const fault = settingsFault(found);
  if (fault) return fault;
  if (found.areTables) {
    const [state] = await db.query<{ noted: boolean }>(noting);
    if (state?.noted) return undefined;
    return { kind: 'unnoted', reason: `${UNNOTED} (drizzle/0004_plain_rollups.sql says why that can be)` };
  }
  const reason = await unexpectedColumn(db);
  if (reason !== undefined) return { kind: 'catalog', reason };
  if (await notesEveryChange(db)) return undefined;
  return { kind: 'unnoted', reason: UNNOTED };
}

function settingsFault({ areTables, missing, forbidden, guarded, unlogged }: Settings): Fault | undefined {
  const fault = (kind: WhyNot, reason: string) => ({ kind, reason });
  if (missing.length > 0) return fault('missing', `the database has no ${missing.join(', ')}`);
  if (forbidden.length > 0)
    return fault(
      'forbidden',
      `this role may not use ${forbidden.join(', ')}: run \`npm run migrate\` with READER_ROLE`,
    );
  if (areTables) return undefined;
  if (!guarded)
    return fault(
      'unguarded',
      'updates of points do not wait for refreshes: the trigger audio_data_await_refreshes is not there or off',
    );
  if (unlogged)
    return fault('unlogged', 'timescaledb.skip_cagg_invalidation is on: changes of points are not logged');
  return undefined;
}
