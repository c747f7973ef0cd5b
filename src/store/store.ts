// A database and its rollups: what queries read from. Says whether the rollups can be trusted now, and if not, why.
import type { InfoOutput } from '../contract/service.ts';
import type { Database, Statement } from '../db/database.ts';
import { createPeriodMemory } from '../db/period-memory.ts';
import { ROLLUP_FUNCTIONS, ROLLUP_RELATIONS } from '../db/rollups.ts';
import type { Log } from '../timescale/policies.ts';
import { createHistogramCache } from './histogram-cache.ts';
import { createStateMemory } from './rollup-state.ts';

export interface Store {
  readonly db: Database;
  readonly rollups: Rollups;
}

export type Rollups = ReturnType<typeof createRollups>;

/** Why answers come from the points alone. `none`: the database has no rollups. */
type WhyNot = Exclude<InfoOutput['rollups'], 'in use'>;

/** How long a check is good for. */
const REMEMBERED_MS = 60_000;

/** Checks the rollups of a database when asked, at most once a minute. Logs why if they cannot be used. */
export function createRollups(db: Pick<Database, 'query'>, log?: Pick<Log, 'warn'>) {
  let logged: string | undefined;
  let last: Check | undefined;
  let checking: Promise<Check> | undefined;
  let until = 0;
  async function check(): Promise<Check> {
    last = await checkOf(db);
    if (last.reason !== undefined && last.reason !== logged)
      log?.warn({ reason: last.reason }, 'Statistics are read from the raw points, which is slower');
    logged = last.reason;
    return last;
  }
  function recent(): Promise<Check> {
    if (checking && performance.now() < until) return checking;
    until = performance.now() + REMEMBERED_MS;
    checking = check();
    checking.catch(() => {
      until = 0;
    });
    return checking;
  }
  return {
    /** Whether answers may come from them. */
    inUse: async () => (await recent()).whyNot === undefined,
    /** Whether the points lie in chunks, which TimescaleDB may move. */
    isHypertable: async () => (await recent()).isHypertable,
    /** Why they were not in use at the last check; undefined if they were. */
    whyNot: () => last?.whyNot,
    /** What the last answers saw of their state, of their histograms, and of how the points were recorded. */
    memory: createStateMemory(),
    histograms: createHistogramCache(),
    periods: createPeriodMemory(),
  };
}

interface Check {
  readonly isHypertable: boolean;
  readonly whyNot?: WhyNot;
  /** For the log; undefined if the database is meant to have no rollups. */
  readonly reason?: string;
}

const listed = (names: readonly string[]) => `unnest(array[${names.map((name) => `'${name}'`)}]) as name`;
const relations = listed(ROLLUP_RELATIONS);

const settings: Statement = {
  text: `
    select array(select name from ${relations} where to_regclass(name) is null) as missing,
      array(select name from ${relations} where not has_table_privilege(to_regclass(name), 'select'))
        || array(select name from ${listed(ROLLUP_FUNCTIONS)}
          where not has_function_privilege(to_regprocedure(name), 'execute')) as forbidden`,
  parameters: [],
};

const noting: Statement = {
  text: 'select audio_data_noting() is not null as noted, is_hypertable from audio_data_refreshes',
  parameters: [],
};

async function checkOf({ query }: Pick<Database, 'query'>): Promise<Check> {
  const [found] = await query<{ missing: string[]; forbidden: string[] }>(settings);
  const { missing = ROLLUP_RELATIONS, forbidden = [] } = found ?? {};
  const isHypertable = false;
  if (missing.length === ROLLUP_RELATIONS.length) return { isHypertable, whyNot: 'none' };
  if (missing.length > 0)
    return { isHypertable, whyNot: 'missing', reason: `the database has no ${missing.join(', ')}` };
  if (forbidden.length > 0) {
    const reason = `this role may not use ${forbidden.join(', ')}: run \`npm run migrate\` with READER_ROLE`;
    return { isHypertable, whyNot: 'forbidden', reason };
  }
  const [state] = await query<{ noted: boolean; is_hypertable: boolean }>(noting);
  const layout = { isHypertable: state?.is_hypertable ?? false };
  if (!state || state.noted) return layout;
  const reason =
    'not every change of a point is noted: run `npm run migrate` (drizzle/0003_rollups.sql says why that can be)';
  return { ...layout, whyNot: 'unnoted', reason };
}
