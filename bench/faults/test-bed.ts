// The environment of each part of the faults bench: a database server with a table of points, and services on it.

import type { Cluster } from '../../test/cluster.ts';
import type { Child } from '../child.ts';
import type { Say } from '../figure.ts';
import type { Interval } from '../points-table.ts';

export interface TestBed {
  /** The URL of the database, as its owner. */
  readonly database: string;
  readonly cluster: Cluster;
  /** The interval that holds all points. */
  readonly all: Interval;
  readonly points: number;
  readonly options: Options;
  /** Starts the measured service. */
  start(environment?: Record<string, string>, database?: string): Promise<Child>;
  say: Say;
}

export interface Options {
  readonly kills: number;
  readonly requests: number;
  readonly seed: number;
  /** The names of floods, separated by commas; all by default. */
  readonly floods?: string | undefined;
  /** The checkout of another version, to measure instead of this one. */
  readonly service?: string | undefined;
}
