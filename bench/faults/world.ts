// What every part of the faults bench is given: a server with a table, and services on it.

import type { Cluster } from '../../test/cluster.ts';
import type { Child } from '../child.ts';
import type { Interval } from '../table.ts';

export interface World {
  /** The database, as its owner. */
  readonly database: string;
  readonly cluster: Cluster;
  /** The interval of all points. */
  readonly all: Interval;
  readonly points: number;
  readonly options: Options;
  /** Starts the service that is measured. */
  start(environment?: Record<string, string>, database?: string): Promise<Child>;
  say(line: string): void;
}

export interface Options {
  readonly kills: number;
  readonly requests: number;
  readonly seed: number;
  /** Names with commas between; all by default. */
  readonly floods?: string | undefined;
  /** Where another version is that is measured instead. */
  readonly service?: string | undefined;
}
