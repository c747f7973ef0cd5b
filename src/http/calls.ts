// The calls of a request, noted for those who watch the service: its metrics and its traces.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Places } from '../load/fair-queue.ts';
import type { InFlight } from '../load/shared-answers.ts';
import { Points } from '../points/points.ts';
import { declarations } from '../procedures/router.ts';
import type { Store } from '../timescale/rollups-in-use.ts';

/** What the service is made of. */
export interface Inside extends Store {
  readonly inFlight: InFlight;
  /** The queues, by what waits in them. */
  readonly places: Readonly<Record<string, Places>>;
}

/** Adds hooks that note what is asked and how it ends. */
export type Watcher = (app: FastifyInstance, inside: Inside) => void;

/** One call of an operation. */
export interface Call {
  /** The procedure, such as `audio.latest`; `unknown` where there is none. */
  readonly operation: string;
  /** The points of its answer; they grow while it is streamed. */
  points: number;
  /** Where it differs from that of the request. */
  status?: number;
  /** How long it took by itself, in milliseconds, where others share its request. */
  ms?: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Undefined where there is nothing to ask. */
    transport?: 'rest' | 'rpc' | 'docs';
    /** On a route of one operation: its procedure. */
    operation?: string;
  }
  interface FastifyRequest {
    /** Undefined where nobody watches. */
    calls?: Call[];
  }
}

/** Notes a call where somebody watches. */
export function noteCall(request: FastifyRequest, operation: string, answer?: unknown): Call | undefined {
  if (!request.calls) return undefined;
  const call: Call = { operation: nameOf(operation), points: answer ? pointsOf(answer) : 0 };
  request.calls.push(call);
  return call;
}

function nameOf(path: string): string {
  return declarations.has(path) ? path : 'unknown';
}

function pointsOf(answer: unknown): number {
  const points = Object.values(Object(answer)).find((value) => value instanceof Points);
  return points?.count ?? 0;
}

/** The calls of a request that has ended. One that was refused before it was asked counts as a call too. */
export function callsOf(request: FastifyRequest): readonly Call[] {
  if (request.calls && request.calls.length > 0) return request.calls;
  return [{ operation: operationOf(request), points: 0 }];
}

/** What a request asked for: an operation, `batch` for several, `docs`, or `unknown`. */
export function operationOf(request: FastifyRequest): string {
  if (transportOf(request) === 'docs') return 'docs';
  const [path = 'unknown', ...others] = pathsOf(request);
  return others.length > 0 ? 'batch' : nameOf(path);
}

/** The procedures that a request asks for, by the names that it gives them. */
function pathsOf({ routeOptions, params }: FastifyRequest): readonly string[] {
  const { operation, transport } = routeOptions.config;
  if (operation) return [operation];
  return transport === 'rpc' ? (params as { path: string }).path.split(',') : [];
}

/** How many calls of a request need a key and count for the limits: all but those of probes and the reference. */
export function guardedCalls(request: FastifyRequest): number {
  const transport = transportOf(request);
  if (transport === 'none') return 1;
  return transport === 'docs'
    ? 0
    : pathsOf(request).filter((path) => !declarations.get(path)?.isProbe).length;
}

/** How it was asked: `rest`, `rpc`, `docs`, or `none` where there is nothing to ask. */
export function transportOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.config.transport ?? 'none';
}
