// Request accounting: the calls of a request, noted for the metrics and the traces.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Call, Turns } from '../api/context.ts';
import { routes } from '../api/internals/routes.ts';
import type { Overview } from '../api/overview.ts';
import { MAX_BATCH_SIZE } from '../contract/batch-limits.ts';
import type { Stations } from '../stations/stations.ts';
import type { Store } from '../store/store.ts';

/** What the service is made of. */
export interface Inside extends Store, Turns {
  readonly stations: Pick<Stations, 'names'>;
  readonly overview: Pick<Overview, 'levels'>;
}

/** Adds hooks that note what is asked and how it ends. */
export type Watcher = (app: FastifyInstance, inside: Inside) => void;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Undefined where there is nothing to ask. */
    transport?: 'rest' | 'rpc' | 'docs';
    /** On a route of one operation: its name. */
    operation?: string;
  }
  interface FastifyRequest {
    /** Undefined where nobody watches. */
    calls?: Call[];
  }
}

/** The calls of a request that has ended. One that was refused before it was asked counts as a call too. */
export function callsOf(request: FastifyRequest): readonly Call[] {
  if (request.calls && request.calls.length > 0) return request.calls;
  return [{ operation: operationOf(request), points: 0 }];
}

/** What a request asked for: an operation, `batch` for several, `docs`, or `unknown`. */
export function operationOf(request: FastifyRequest): string {
  if (transportOf(request) === 'docs') return 'docs';
  const [name = '', ...others] = namesOf(request);
  if (others.length > 0) return 'batch';
  return routes.has(name) ? name : 'unknown';
}

/** The operations that a request asks for, by the names that it gives them. */
export function namesOf({ routeOptions, url }: FastifyRequest): readonly string[] {
  const { operation, transport } = routeOptions.config;
  if (operation) return [operation];
  if (transport !== 'rpc') return [];
  const [path = ''] = url.split('?', 1);
  return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)).split(',');
}

/** How many calls of a request need a key and count for the limits: all but those of probes and the reference. */
export function guardedCalls(request: FastifyRequest): number {
  const transport = transportOf(request);
  if (transport === 'none') return 1;
  if (transport === 'docs') return 0;
  const calls = namesOf(request).filter((name) => !routes.get(name)?.isProbe);
  return Math.min(calls.length, MAX_BATCH_SIZE); // more are refused
}

/** How it was asked: `rest`, `rpc`, `docs`, or `none` where there is nothing to ask. */
export function transportOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.config.transport ?? 'none';
}
