// Says whether the rollups of a database can be trusted now, and if not, why.
import type { Database, Statement } from '../db/database.ts';
import { ROLLUP_FUNCTIONS, ROLLUP_RELATIONS } from '../db/rollups.ts';
import type { Log } from '../timescale/policies.ts';
import { createHistogramCache } from './histogram-cache.ts';
import { createPeriodMemory } from './period-memory.ts';
import { createStateMemory } from './rollup-state.ts';
import type { Rollups, WhyNot } from './store.ts';

/** How long a check is good for. */
const REMEMBERED_MS = 60_000;

/** Checks the rollups of a database when asked, at most once a minute. Logs why if they cannot be used. */
export function createRollups(db: Database, log?: Pick<Log, 'warn'>): Rollups {
  let logged: string | undefined;
  let fault: Fault | undefined;
  let isHypertable = false;
  let answer: Promise<boolean> | undefined;
  let until = 0;
  async function check(): Promise<boolean> {
    const [found] = await db.query<Settings>(settings);
    fault = found && faultOf(found);
    const [state] = found && !fault ? await db.query<Noting>(noting) : [];
    isHypertable = state?.is_hypertable ?? false;
    if (state && !state.noted) fault = UNNOTED;
    const reason = fault?.reason;
    if (reason !== undefined && reason !== logged)
      log?.warn({ reason }, 'Statistics are read from the raw points, which is slower');
    logged = reason;
    return found !== undefined && fault === undefined;
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
    isHypertable: async () => {
      await inUse();
      return isHypertable;
    },
    whyNot: () => fault?.kind,
    memory: createStateMemory(),
    histograms: createHistogramCache(),
    periods: createPeriodMemory(),
  };
}

const relations = `unnest(array[${ROLLUP_RELATIONS.map((name) => `'${name}'`)}]) as name`;

const settings: Statement = {
  text: `
    select array(select name from ${relations} where to_regclass(name) is null) as missing,
      array(select name from ${relations} where not has_table_privilege(to_regclass(name), 'select'))
        || array(select name from unnest(${ROLLUP_FUNCTIONS}) as name
          where not has_function_privilege(to_regprocedure(name), 'execute')) as forbidden`,
  parameters: [],
};

const noting: Statement = {
  text: 'select audio_data_noting() is not null as noted, is_hypertable from audio_data_refreshes',
  parameters: [],
};

interface Settings {
  readonly missing: readonly string[];
  readonly forbidden: readonly string[];
}

interface Noting {
  readonly noted: boolean;
  readonly is_hypertable: boolean;
}

interface Fault {
  readonly kind: WhyNot;
  /** For the log; undefined if the database is meant to have no rollups. */
  readonly reason?: string;
}

function faultOf({ missing, forbidden }: Settings): Fault | undefined {
  if (missing.length === ROLLUP_RELATIONS.length) return { kind: 'none' };
  if (missing.length > 0) return { kind: 'missing', reason: `the database has no ${missing.join(', ')}` };
  if (forbidden.length === 0) return undefined;
  const reason = `this role may not use ${forbidden.join(', ')}: run \`npm run migrate\` with READER_ROLE`;
  return { kind: 'forbidden', reason };
}

const UNNOTED: Fault = {
  kind: 'unnoted',
  reason:
    'not every change of a point is noted: run `npm run migrate` (drizzle/0003_rollups.sql says why that can be)',
};
