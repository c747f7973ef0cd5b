// A database and its rollups, the source of all queries: whether rollups are usable now, and the retry of an answer.
import { type Annotations, createAnnotationMemory } from '../database/annotation-memory.ts';
import type { Database, Log, Queries } from '../database/database.ts';
import { compile, sql } from '../database/drizzle.ts';
import { NotMigrated } from '../database/faults.ts';
import { ROLLUP_FUNCTIONS, ROLLUP_RELATIONS } from '../database/rollups.ts';
import { stationSchema, tables } from '../database/schema.ts';
import type { InfoOutput } from '../operations/service/contract.ts';
import { createHistogramCache } from './histogram-cache.ts';
import { createStateMemory, Outdated, type RollupState } from './rollup-state.ts';

/** What an attempt at an answer assumes. Every statement of the answer compares its own snapshot with this. */
export interface Assumed {
  readonly annotations: Annotations;
  /** The state of the rollups in the ranges that an earlier attempt found changed. */
  readonly states: Map<string, RollupState>;
  /** Whether this attempt must answer: it reads the points and history alone, and compares nothing. */
  readonly isLast: boolean;
  /** Whether the ranges of the answer touch days of history. */
  readonly history: { isRead: boolean };
}

export interface Store {
  readonly db: Database;
  readonly rollups: Rollups;
  readonly exclusions?: 'apply' | 'ignore';
  /** What the answer assumes that is being read, if any. */
  readonly assumed?: Assumed;
}

/** The periods and exclusions of an answer, or as last seen. */
export const annotationsOf = ({ rollups, assumed }: Store): Annotations =>
  assumed?.annotations ?? rollups.annotations.known();

/** The exclusions that the statistics of a store leave out. */
export const excludedOf = (store: Store) =>
  store.exclusions === 'apply' ? annotationsOf(store).exclusions : [];

/** The same store, with nothing left out. */
export const ofAllPoints = (store: Store): Store => ({ ...store, exclusions: 'ignore' });

export type Rollups = ReturnType<typeof createRollups>;

const REMEMBERED_MS = 60_000;

/** Checks the rollups of a database on demand, at most once a minute. Logs why they cannot be used. */
export function createRollups(db: Queries, log?: Pick<Log, 'warn'>, histograms = createHistogramCache()) {
  let logged: string | undefined;
  let checking: Promise<Check> | undefined;
  let until = 0;
  async function checkAgain(): Promise<Check> {
    const found = await checkOf(db);
    if (found.reason !== undefined && found.reason !== logged)
      log?.warn({ reason: found.reason }, 'Statistics are read from the raw points, which is slower');
    logged = found.reason;
    return found;
  }
  function check(): Promise<Check> {
    if (checking && performance.now() < until) return checking;
    until = performance.now() + REMEMBERED_MS;
    checking = checkAgain();
    checking.catch(() => {
      until = 0;
    });
    return checking;
  }
  return {
    check,
    inUse: async () => (await check()).state === 'in use',
    /** What the last answers saw: the state of the rollups, their histograms, periods and exclusions. */
    memory: createStateMemory(),
    histograms,
    annotations: createAnnotationMemory(),
  };
}

export interface Check {
  /** Whether rollups are in use, or why only the points are read. */
  readonly state: InfoOutput['rollups'];
  /** Whether the points are stored in chunks, which TimescaleDB may move. */
  readonly isHypertable: boolean;
  /** For the log; undefined if the database is meant to have no rollups. */
  readonly reason?: string;
}

const listed = (names: readonly string[]) =>
  sql.raw(`unnest(array[${names.map((name) => `'${name}'`)}]) as name`);
const relations = listed(ROLLUP_RELATIONS);

const settings = compile(sql<{ missing: string[]; forbidden: string[] }>`
    select array(select name from ${relations} where to_regclass('${stationSchema}.' || name) is null) as missing,
      array(select name from ${relations} where not has_table_privilege(to_regclass('${stationSchema}.' || name), 'select'))
        || array(select name from ${listed(ROLLUP_FUNCTIONS)}
          where not has_function_privilege(to_regprocedure('${stationSchema}.' || name), 'execute')) as forbidden`);

const noting = compile(sql<{ noted: boolean; is_hypertable: boolean }>`
    select ${stationSchema}.audio_data_noting() is not null as noted, is_hypertable from ${tables.refreshes}`);

async function checkOf({ query }: Queries): Promise<Check> {
  const [found] = await query(settings);
  const { missing = ROLLUP_RELATIONS, forbidden = [] } = found ?? {};
  const none = { isHypertable: false };
  if (missing.length === ROLLUP_RELATIONS.length) return { state: 'none', ...none };
  if (missing.length > 0)
    return {
      state: 'missing',
      ...none,
      reason: `the database has no ${missing.join(', ')}: run \`npm run migrate\``,
    };
  if (forbidden.length > 0) {
    const reason = `this role may not use ${forbidden.join(', ')}: run \`npm run migrate\` with READER_ROLE`;
    return { state: 'forbidden', ...none, reason };
  }
  const [layout] = await query(noting);
  const { noted, is_hypertable } = layout ?? { noted: true, is_hypertable: false };
  if (noted) return { state: 'in use', isHypertable: is_hypertable };
  const reason =
    'some changes of points are not recorded: run `npm run migrate` (drizzle/0003_rollups.sql explains why)';
  return { state: 'unnoted', isHypertable: is_hypertable, reason };
}

/** One attempt rarely fails, and the next one assumes what it saw. The last reads the points, which takes longer. */
const ATTEMPTS = 5;

/**
 * Reads again if the rollups, periods or exclusions change meanwhile, so all parts of an answer agree. The outermost call
 * retries: calls within it only read.
 *
 * It ends because the last attempt cannot be outdated: it reads no rollups, and the periods and exclusions that it
 * assumes were valid when it began. So even if standbys with different lag take turns, the answer is that of one moment.
 *
 * @param read reads the answer from the given store, and throws {@link Outdated} to be called again
 */
export async function consistently<Found, Of extends Store>(store: Of, read: (store: Of) => Promise<Found>) {
  if (store.assumed) return read(store);
  const { annotations } = store.rollups;
  await annotations.begin(store.db);
  const states = new Map<string, RollupState>();
  let isLast = false;
  for (let attempt = 1; ; attempt++) {
    isLast ||= attempt === ATTEMPTS;
    const assumed = { annotations: annotations.known(), states, isLast, history: { isRead: false } };
    try {
      const found = await read({ ...store, assumed });
      if (isLast || annotations.known().version === assumed.annotations.version) return found;
    } catch (error) {
      if (isLast || !(error instanceof Outdated || error instanceof NotMigrated)) throw error;
      isLast = error instanceof NotMigrated; // the points still answer if a rollup was dropped
    }
  }
}
