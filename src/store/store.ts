// A database and its rollups: what queries read from.
import type { InfoOutput } from '../contract/service.ts';
import type { Database } from '../db/database.ts';
import type { HistogramCache } from './histogram-cache.ts';
import type { PeriodMemory } from './period-memory.ts';
import type { StateMemory } from './rollup-state.ts';

export interface Store {
  readonly db: Database;
  readonly rollups: Rollups;
}

export interface Rollups {
  /** Whether answers may come from them. */
  inUse(): Promise<boolean>;
  /** Why they were not in use at the last check; undefined if they were. */
  whyNot(): WhyNot | undefined;
  /** Whether the points lie in chunks, which TimescaleDB may move. */
  isHypertable(): Promise<boolean>;
  /** What the last answers saw of their state. */
  readonly memory: StateMemory;
  readonly histograms: HistogramCache;
  /** How the points were recorded, as the last answer saw it. */
  readonly periods: PeriodMemory;
}

/** Why answers come from the points alone. `none`: the database has no rollups. */
export type WhyNot = Exclude<InfoOutput['rollups'], 'in use'>;
