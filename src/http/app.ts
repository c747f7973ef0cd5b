// The HTTP service: wires the edge, the transports and the documents. It opens no resources.
import { createServer } from 'node:http';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import pLimit from 'p-limit';
import { instantOf } from '../contract/instant.ts';
import { CSV_TYPE, isFileType } from '../contract/media-types.ts';
import type { Database } from '../database/database.ts';
import type { StationSettings } from '../database/station-schemas.ts';
import { type AdmissionOptions, createAdmission } from '../load/admission.ts';
import { SharedAnswers } from '../load/shared-answers.ts';
import { Live } from '../operations/audio/live/live.ts';
import type { Context, Result } from '../operations/context.ts';
import type { RecorderState } from '../operations/service/contract.ts';
import { createOverview } from '../operations/stations/overview.ts';
import type { Station } from '../operations/stations/station.ts';
import { Stations } from '../operations/stations/stations.ts';
import type { Rollups } from '../rollups/store.ts';
import { createCacheControl } from './cache-control.ts';
import { closeGracefully, trackConnections } from './connections.ts';
import { mountFirstAddresses } from './docs/first-addresses.ts';
import { mountDocument } from './docs/openapi.ts';
import { mountFiles } from './docs/static-files.ts';
import type { ApiKeys, KeyOwner } from './edge/api-keys.ts';
import { callerName, createRevocation, leavingOf, opens } from './edge/caller.ts';
import { type EdgeLimits, mountEdge, requestId } from './edge/edge.ts';
import { targetOf } from './edge/host.ts';
import { refuseExpectations, refuseUnreadable } from './edge/malformed-requests.ts';
import { cutListeners } from './event-stream.ts';
import { mountMcp } from './mcp/mcp-route.ts';
import { NO_SNIFFING, problemContent } from './problem.ts';
import type { Watcher } from './request-accounting.ts';
import { described, logTrace, RequestLog } from './request-log.ts';
import { mountRest } from './rest.ts';
import { send } from './send.ts';
import { type Service, STATION_PREFIX } from './service.ts';
import { createLocalClient, mountTrpc } from './trpc.ts';

export interface AppOptions {
  readonly db: Database;
  readonly rollups: Rollups;
  readonly version: string;
  /** They win over those in the database, for the default station. */
  readonly settings?: Partial<StationSettings>;
  readonly recorderOf?: (station: string) => RecorderState | null;
  readonly logger?: FastifyBaseLogger;
  /** Host names of the service, besides `localhost` and addresses. With keys, every name is allowed. */
  readonly hosts?: readonly string[];
  /** Origins whose pages may read the answers; `*` for all. None by default. */
  readonly corsOrigins?: readonly string[];
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. None by default. */
  readonly trustProxy?: readonly string[];
  /** How long shared caches between the callers and the service may keep an answer, in seconds. Off by default. */
  readonly sharedSeconds?: number;
  readonly watchers?: readonly Watcher[];
  /** The keys of callers. Without keys, everyone has access. */
  readonly keys?: ApiKeys;
  readonly limits?: AppLimits;
  /** How often the service polls for new points while a stream is open, in milliseconds. 250 by default. */
  readonly livePollMs?: number;
  /** Milliseconds since 1970; read once per request. */
  readonly clock?: () => number;
}

export interface AppLimits extends AdmissionOptions, EdgeLimits {
  /** The time limit for all statements of a query, in milliseconds. None by default. */
  readonly answerTimeoutMs?: number | undefined;
}

/** Streams may open additional connections. Each connection takes some 25 kB, even without a complete request. */
const MAX_CONNECTIONS = 10_000;

/** The most calls of a request that run at a time, streamed or not. */
const CALLS_AT_A_TIME = 4;

/** Builds the service. `app.shutdown.begin()` announces its end. `app.close()` lets current requests finish first. */
export async function createApp(options: AppOptions) {
  const { db, rollups, version, settings = {}, recorderOf, watchers = [], hosts = [], corsOrigins } = options;
  const { logger, trustProxy, keys, limits = {}, clock = Date.now } = options;
  const server = createServer({
    requireHostHeader: false, // the edge refuses a missing Host
    requestTimeout: 30_000, // to receive a request
    connectionsCheckingInterval: 1000, // how late a request may be cut off after that
    keepAliveTimeout: 72_000,
  });
  server.setTimeout(120_000); // without a byte sent or received
  server.maxConnections = MAX_CONNECTIONS + (limits.maxStreams ?? 0);
  const connections = trackConnections(server);
  const app = Fastify({
    ...(logger && { loggerInstance: logger.child({}, { serializers: { req: described } }) }),
    ...(trustProxy && { trustProxy: [...trustProxy] }),
    logController: new RequestLog(),
    rewriteUrl: targetOf,
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    routerOptions: { maxParamLength: 5000 },
    serverFactory: connections.serve,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, connections, app.log),
    // no hook runs for a URL that the router cannot decode
    frameworkErrors: (error, request, reply) => {
      logTrace(request, reply);
      void send(request, reply.headers(NO_SNIFFING), problemContent(error, request, reply));
      request.log.info({ req: request, res: reply }, 'request completed');
    },
  });
  refuseExpectations(app.server, app.log);
  const tail = { clock, pollMs: options.livePollMs ?? 250, log: app.log };
  const live = new Live({ store: { db, rollups }, ...tail });
  const stations = new Stations({ db, standard: { db, rollups, live }, settings, recorderOf, ...tail });
  const overview = createOverview(stations, clock);
  closeGracefully(app, connections, () => {
    live.stop();
    overview.stop();
    stations.stop();
  });

  const admission = createAdmission(limits);
  const answers = new SharedAnswers<Result>({ limitMs: limits.answerTimeoutMs });
  app.setErrorHandler((error, request, reply) => send(request, reply, problemContent(error, request, reply)));
  const revocation = createRevocation(keys);
  const inside = { db, rollups, admission, answers, stations, overview };
  await mountEdge(app, { inside, stations, watchers, keys, revocation, hosts, corsOrigins, limits });

  const contextIn = ({ name, ...station }: Station, owner?: KeyOwner) => ({
    ...inside,
    ...station,
    station: name,
    stations: {
      opened: owner?.stations,
      names: async () => (await stations.names()).filter((each) => opens(owner, each)),
    },
    now: instantOf(clock()),
    clock: () => instantOf(clock()),
    version,
    isStopping: app.shutdown.isStopping,
    inSlot: pLimit(CALLS_AT_A_TIME),
  });
  const service: Service = {
    admission,
    cacheControl: createCacheControl(keys ? undefined : options.sharedSeconds),
    revocation,
    contextOf: (request, transport, type) => ({
      ...contextIn(request.station, request.owner),
      signal: leavingOf(request),
      transport,
      fileType: isFileType(type) ? type : CSV_TYPE,
      caller: callerName(request),
      calls: request.calls,
      admit: request.admit,
      pages: request.pages,
    }),
  };
  app.decorate('clientOf', (name) => createLocalClient(() => ownContext(name), app.log));
  const ownContext = async (name: string): Promise<Context> => ({
    ...contextIn(await stations.open(name)),
    signal: new AbortController().signal,
    transport: 'process',
    fileType: CSV_TYPE,
    caller: 'the service itself',
    calls: undefined,
    admit: () => {},
    pages: undefined,
  });
  cutListeners(app);
  const mountStation = async (scope: FastifyInstance) => {
    mountRest(scope, service);
    await mountTrpc(scope, service);
    mountMcp(scope, service, version, corsOrigins);
    mountDocument(scope, service, version, keys !== undefined);
    mountFirstAddresses(scope);
    mountFiles(scope);
  };
  await app.register(mountStation);
  await app.register(mountStation, { prefix: STATION_PREFIX });
  return app;
}
