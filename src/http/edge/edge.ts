// The edge: every step before a route handles a request, in order.
import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DEFAULT_STATION, isAnyStation } from '../../contract/station.ts';
import { AppError } from '../../errors.ts';
import type { FairQueue } from '../../load/fair-queue.ts';
import type { Context } from '../../operations/context.ts';
import { routes } from '../../operations/internals/routes.ts';
import type { Station } from '../../operations/stations/station.ts';
import { type Stations, unknown } from '../../operations/stations/stations.ts';
import { CODINGS, chooseCoding, NotAcceptable } from '../negotiation.ts';
import { NO_SNIFFING } from '../problem.ts';
import {
  guardedCalls,
  type Inside,
  namesOf,
  operationOf,
  transportOf,
  type Watcher,
} from '../request-accounting.ts';
import { logTrace } from '../request-log.ts';
import { STATION_PREFIX } from '../service.ts';
import type { ApiKeys } from './api-keys.ts';
import { admitCalls, callerName, demandKey, leavingOf, mayCall, ownerOf, type Revocation } from './caller.ts';
import { demandHost, demandTarget } from './host.ts';

declare module 'fastify' {
  interface FastifyRequest {
    station: Station;
    admit: Context['admit'];
  }
}

interface EdgeOptions {
  readonly inside: Inside;
  readonly stations: Stations;
  readonly watchers: readonly Watcher[];
  readonly keys: ApiKeys | undefined;
  readonly revocation: Revocation;
  readonly hosts: readonly string[];
  readonly corsOrigins: readonly string[] | undefined;
  readonly limits: EdgeLimits;
}

export interface EdgeLimits {
  readonly ratePerMinute?: number | undefined;
  /** Overload begins above this mean delay of the event loop, in milliseconds; 0 for never. */
  readonly maxEventLoopDelayMs?: number;
  readonly overloadLookMs?: number;
}

export async function mountEdge(app: FastifyInstance, options: EdgeOptions): Promise<void> {
  const { keys, revocation, corsOrigins, limits } = options;
  app.decorateRequest('owner', undefined);
  app.decorateRequest('station', null as never); // set before any handler
  app.decorateRequest('admit', null as never);
  app.addHook('onRequest', async (request, reply) => logTrace(request, reply));
  for (const watch of options.watchers) watch(app, options.inside); // they also see refused requests
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).headers(NO_SNIFFING);
    request.owner = ownerOf(request, keys);
    revocation.watch(request, reply);
  });
  if (corsOrigins) await app.register(cors, corsOptions(corsOrigins)); // errors need its headers too
  const demandKnownHost = demandHost(keys ? undefined : options.hosts); // a page that reached us by DNS rebinding has no key
  app.addHook('onRequest', async (request) => demandKnownHost(request));
  await refuseOverload(app, limits);
  if (limits.ratePerMinute !== undefined) await limitRate(app, limits.ratePerMinute);
  const { open } = options.inside.admission;
  app.addHook('onRequest', async (request, reply) => {
    demandTarget(request);
    refuseUnknown(request, reply);
    if (keys) demandKey(request, reply); // after unknown paths and preflights
    demandCoding(request);
    request.station = await stationOf(request, options.stations, keys !== undefined);
    await limitOpen(request, reply, open);
    request.admit = admitCalls(request, keys !== undefined);
  });
}

/** A person notices a wait of a second, and a probe with a short time limit begins to fail. */
const MAX_EVENT_LOOP_DELAY_MS = 1000;
/** Never refused for overload: a failed liveness probe would end the process, and a page cannot retry. */
const SPARED: ReadonlySet<string> = new Set(['health.live', 'docs']);

async function refuseOverload(
  app: FastifyInstance,
  {
    maxEventLoopDelayMs = MAX_EVENT_LOOP_DELAY_MS,
    overloadLookMs = 5000, // longer than a stall, because an interval without a sample counts as endless delay
  }: EdgeLimits,
): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    sampleInterval: overloadLookMs,
    pressureHandler: async (request) => {
      if (!SPARED.has(operationOf(request)))
        throw new AppError('SERVICE_UNAVAILABLE', 'The service is overloaded; try again');
    },
  });
}

/** Keeps a caller's own id if it is safe to log. */
export const requestId = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();

const RATE_HEADERS = { limit: 'ratelimit-limit', remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' };

/** 429 for callers above the limit. Each call in a batch counts. Every answer has the number of remaining calls. */
async function limitRate(app: FastifyInstance, perMinute: number): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: '1 minute',
    keyGenerator: callerName,
  });
  const count = app.createRateLimit();
  app.addHook('onRequest', async (request, reply) => {
    for (let call = guardedCalls(request); call > 0; call--) {
      const counted = await count(request);
      if (call > 1 || counted.isAllowed) continue;
      reply.header(RATE_HEADERS.limit, perMinute);
      reply.header(RATE_HEADERS.remaining, counted.remaining);
      reply.header(RATE_HEADERS.reset, counted.ttlInSeconds);
      if (!counted.isExceeded) return;
      reply.header('retry-after', counted.ttlInSeconds);
      throw new AppError('TOO_MANY_REQUESTS', `A caller may make ${perMinute} calls a minute`);
    }
  });
}

/** 404 for an unknown path, 405 with `Allow` for an unsupported method, before a body is read. */
function refuseUnknown(request: FastifyRequest, reply: FastifyReply): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const is404 = request.is404 || !request.url.startsWith('/'); // the router reads `*` as `/`
  if ((isRead || transportOf(request) === 'mcp') && !is404) return;
  const [given = ''] = request.url.split('?', 1);
  const path = given.replace(/^\/stations\/[^/]+/, STATION_PREFIX);
  const isKnown = !is404 || request.server.findRoute({ method: 'GET', url: path }) !== null;
  const methods = /^(\/stations\/:station)?\/mcp$/.test(path) ? 'POST' : isKnown && !isRead && 'GET, HEAD';
  if (!methods) {
    const isRetired = given.endsWith('/api/v1/stats/worst');
    const better = isRetired ? given.replace(/worst$/, 'why') : '/docs';
    throw new AppError('NOT_FOUND', `There is nothing at this path; see ${better}`);
  }
  reply.header('allow', methods);
  throw new AppError('METHOD_NOT_SUPPORTED', `This path answers ${methods.replace(',', ' and')}`);
}

/** 404 if it is missing, or if the key does not open it. Public paths work below any valid name, to reveal nothing. */
async function stationOf(request: FastifyRequest, stations: Stations, areKeysNeeded: boolean) {
  const { station: name = DEFAULT_STATION }: { station?: string } = Object(request.params);
  if (!isAnyStation(name)) throw unknown(name);
  const isPublic = areKeysNeeded || name === DEFAULT_STATION;
  if (isPublic && guardedCalls(request) === 0) return stations.standard;
  // at the root, every key may call one tool
  const names = transportOf(request) === 'mcp' ? ['stations.list'] : namesOf(request);
  if (names.every((operation) => mayCall(operation, request.owner, name))) return stations.open(name);
  throw unknown(name);
}

/** 503 for a caller with too many open calls. Exempts probes and the reference; streams have their own slots. */
async function limitOpen(request: FastifyRequest, reply: FastifyReply, open: FairQueue): Promise<void> {
  const [leaving, caller] = [leavingOf(reply), callerName(request)];
  const streams = namesOf(request).filter((name) => routes.get(name)?.isStream).length;
  const calls = guardedCalls(request) - streams;
  for (let call = 0; call < calls; call++) await open.hold(caller, leaving);
}

/** 406 before the procedure runs if no offered encoding is acceptable. Exempts probes. */
function demandCoding(request: FastifyRequest): void {
  const { coding, isPlainRefused } = chooseCoding(request.headers['accept-encoding']);
  if (coding === undefined && isPlainRefused && !routes.get(operationOf(request))?.isProbe)
    throw new NotAcceptable('Accept-Encoding', CODINGS);
}

const corsOptions = (origins: readonly string[]) => ({
  origin: origins.includes('*') ? '*' : [...origins],
  methods: ['GET', 'HEAD'],
  exposedHeaders: [
    'content-disposition',
    'etag',
    'history-until',
    'link',
    ...Object.values(RATE_HEADERS),
    'retry-after',
    'www-authenticate',
    'x-request-id',
  ],
  maxAge: 600,
  strictPreflight: false,
});
