// Request accounting: the calls of a request, for metrics and traces.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_BATCH_SIZE } from '../contract/batch-limits.ts';
import type { Call, SharedQueues } from '../operations/context.ts';
import { routes } from '../operations/internals/routes.ts';
import type { Overview } from '../operations/stations/overview.ts';
import type { Stations } from '../operations/stations/stations.ts';
import type { HeldPages } from '../points/held-pages.ts';
import type { Store } from '../rollups/store.ts';

/** The parts of the service that watchers observe. */
export interface Inside extends Store, SharedQueues {
  readonly stations: Pick<Stations, 'names'>;
  readonly overview: Pick<Overview, 'levels'>;
}

export type Watcher = (app: FastifyInstance, inside: Inside) => void;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Undefined for an unknown path. */
    transport?: 'rest' | 'rpc' | 'mcp' | 'docs';
    /** The operation of the route, if it has only one. */
    operation?: string;
  }
  interface FastifyRequest {
    /** Undefined without watchers. */
    calls?: Call[];
    /** The points of the answers on tRPC. */
    pages?: HeldPages;
    /** Corrects the bytes that the answers take, once their number is known. */
    keepBytes?: (bytes: number) => void;
  }
}

/** The calls of an ended request. A request that was refused before its first call counts as one call. */
export function callsOf(request: FastifyRequest): readonly Call[] {
  if (request.calls && request.calls.length > 0) return request.calls;
  return [{ operation: operationOf(request), points: 0 }];
}

/** The label of a request: its operation, `batch` for several, `docs`, `mcp` for its other messages, or `unknown`. */
export function operationOf(request: FastifyRequest): string {
  const transport = transportOf(request);
  if (transport === 'docs') return 'docs';
  const [name = '', ...others] = namesOf(request);
  if (others.length > 0) return 'batch';
  if (transport === 'mcp' && name === '') return 'mcp';
  return routes.has(name) ? name : 'unknown';
}

/** The names of the requested operations, as the router passes them to tRPC. Some may be unknown. */
export function namesOf({ routeOptions, params, body }: FastifyRequest): readonly string[] {
  const { operation, transport } = routeOptions.config;
  if (operation) return [operation];
  if (transport === 'mcp') return toolIn(body);
  if (transport !== 'rpc') return [];
  const { path = '' }: { path?: string } = Object(params);
  return path.split(',');
}

/** @param body of a message; undefined until it is read. @returns the operation of the tool that it calls */
function toolIn(body: unknown): readonly string[] {
  const { method, params } = Object(body);
  const { name } = Object(params);
  return method === 'tools/call' && typeof name === 'string' ? [name.replace('_', '.')] : [];
}

/** The number of calls that need a key and count for limits: all except calls of probes and the reference. */
export function guardedCalls(request: FastifyRequest): number {
  const transport = transportOf(request);
  if (transport === 'none' || transport === 'mcp') return 1;
  if (transport === 'docs') return 0;
  const calls = namesOf(request).filter((name) => !routes.get(name)?.isProbe);
  return Math.min(calls.length, MAX_BATCH_SIZE); // more are refused
}

/** The transport of a request: `rest`, `rpc`, `mcp`, `docs`, or `none` for an unknown path. */
export const transportOf = ({ routeOptions }: FastifyRequest): string =>
  routeOptions.config.transport ?? 'none';
