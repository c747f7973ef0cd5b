// A database and its rollups: what queries read from.
import type { InfoOutput } from '../contract/service.ts';
import type { Database } from '../db/database.ts';
import type { HistogramCache } from './histogram-cache.ts';
import type { RollupState } from './rollup-state.ts';

export interface Store {
  readonly db: Database;
  readonly rollups: Rollups;
}

export interface Rollups {
  /** Whether answers may come from them. */
  inUse(): Promise<boolean>;
  /** Why they were not in use at the last check; undefined if they were. */
  whyNot(): WhyNot | undefined;
  /** The state that an answer saw a moment ago, or else the present one; with or without its fresh ranges. */
  recentState(withFresh: boolean): Promise<RollupState>;
  remember(state: RollupState): void;
  readonly histograms: HistogramCache;
  /**
   * The schema of TimescaleDB's functions, where the rollups in use are TimescaleDB's: then the points lie in chunks,
   * which it may move. Undefined elsewhere.
   */
  timescaledb(): Promise<string | undefined>;
  /** Whether they are in use, and tables: one statement then sees them, and what has changed since. */
  areTables(): Promise<boolean>;
}

/** Why answers come from the points alone. `none`: the database has no rollups. */
export type WhyNot = Exclude<InfoOutput['rollups'], 'in use'>;
