// The HTTP service: wires the transports, the documents and the errors. It opens nothing itself.
import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify';
import { instantOf } from '../contract/instant.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { Live } from '../live/live.ts';
import { onIdle } from '../load/event-loop-queue.ts';
import { createInFlight } from '../load/shared-answers.ts';
import { Outgoing, type OutgoingOptions } from '../load/slow-readers.ts';
import type { Rollups } from '../timescale/rollups-in-use.ts';
import { type AdmissionOptions, createAdmission } from './admission.ts';
import type { ApiKeys } from './api-keys.ts';
import { demandKeys, identify } from './authentication.ts';
import { createCacheControl, type SharedCache } from './cache-control.ts';
import { encodeAnswers } from './caching-and-compression.ts';
import type { Watcher } from './calls.ts';
import { mountDocs } from './docs.ts';
import { openApiDocument } from './openapi.ts';
import { mountPage } from './page.ts';
import { NO_SNIFFING, sendProblem } from './problem.ts';
import { described, RequestLog } from './request-log.ts';
import { mountRest } from './rest.ts';
import { mountRpc, RPC_PATH } from './rpc.ts';
import { limitRates, RATE_LIMIT_HEADERS, type SheddingOptions, shedLoad } from './shedding.ts';
import { closeGracefully } from './shutdown.ts';
import { logTrace } from './trace-parent.ts';
import { refuseByOurselves, refuseUnreadable, refuseUnroutable, targetOf } from './unreadable.ts';

export interface AppOptions {
  readonly db: Database;
  readonly rollups: Rollups;
  readonly version: string;
  /** The sound pressure level in dB that 0 dBFS stands for; null, or not known, by default. */
  readonly calibrationOffsetDb?: number | null;
  readonly logger?: FastifyBaseLogger;
  /** Origins whose pages may read the answers; `*` for all. None by default. */
  readonly corsOrigins?: readonly string[];
  /** Addresses of proxies that may say whom they ask for (`X-Forwarded-For`). None by default. */
  readonly trustProxy?: readonly string[];
  /** Lets caches between the callers and the service answer for it. Off by default. */
  readonly sharedCache?: SharedCache;
  /** None by default. */
  readonly watchers?: readonly Watcher[];
  /** Whose keys let in; without, everyone may ask. */
  readonly keys?: ApiKeys;
  readonly limits?: Limits;
  /** How often new points are looked for while somebody listens, in milliseconds. 250 by default. */
  readonly livePollMs?: number;
  /** Milliseconds since 1970; read once per request. */
  readonly clock?: () => number;
}

/** How much is done at a time, for how slow readers, and how often one may ask. */
export interface Limits extends AdmissionOptions, OutgoingOptions, SheddingOptions {
  /** How long all statements of a question may take, in milliseconds. As long as they like by default. */
  readonly questionTimeoutMs?: number | undefined;
  /** How often a caller may ask in a minute. As often as it likes by default. */
  readonly ratePerMinute?: number | undefined;
}

/** Builds the service. `app.shutdown.begin()` announces its end. `app.close()` lets the requests in flight finish first. */
export async function createApp(options: AppOptions) {
  const {
    db,
    rollups,
    version,
    calibrationOffsetDb = null,
    logger,
    corsOrigins,
    trustProxy,
    keys,
    limits = {},
    clock = Date.now,
  } = options;
  const app = Fastify({
    ...(logger && { loggerInstance: logger.child({}, { serializers: { req: described } }) }),
    ...(trustProxy && { trustProxy: [...trustProxy] }),
    logController: new RequestLog(),
    http: { requireHostHeader: false }, // refused by ourselves
    rewriteUrl: targetOf,
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    routerOptions: { maxParamLength: 5000 },
    requestTimeout: 30_000, // to receive a request
    connectionTimeout: 120_000, // without a byte sent or received
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: refuseUnreadable,
    frameworkErrors: refuseUnroutable,
  });
  const inFlight = createInFlight();
  const live = new Live({ store: { db, rollups }, clock, pollMs: options.livePollMs ?? 250, log: app.log });
  const outgoing = new Outgoing(limits);
  const admission = createAdmission(limits, outgoing);
  const { heavy, exports, streams } = admission;
  app.addHook('onRequest', (request, reply, done) => {
    logTrace(request, reply);
    done();
  });
  // before what refuses, so that they see it
  for (const watch of options.watchers ?? [])
    watch(app, { db, rollups, inFlight, places: { heavy, exports, streams } });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(NO_SNIFFING);
    done();
  });
  app.setErrorHandler(sendProblem);
  if (keys) identify(app, keys);
  if (corsOrigins) await app.register(cors, corsOptions(corsOrigins)); // first, so that errors have its headers
  refuseByOurselves(app);
  shedLoad(app, limits);
  if (limits.ratePerMinute !== undefined) limitRates(app, limits.ratePerMinute);
  refuseUnknown(app);
  if (keys) demandKeys(app);
  closeGracefully(app, () => live.stop());
  encodeAnswers(app);
  const admit = () => heavy.admit();
  outgoing.mount(app, () => heavy.waiting > 0, admit);
  const noLonger = onIdle(admit);
  app.addHook('onClose', async () => noLonger());

  const cacheControl = createCacheControl(keys ? undefined : options.sharedCache);
  const createContext = (request: FastifyRequest, hasPlace = false) => ({
    db,
    rollups,
    now: instantOf(clock()),
    version,
    calibrationOffsetDb,
    inFlight,
    live,
    questionTimeoutMs: limits.questionTimeoutMs,
    isStopping: app.shutdown.isStopping,
    hasPlace,
    enter: admission.enter(request, hasPlace),
  });
  const document = openApiDocument(version, cacheControl, keys !== undefined);
  const transport = { createContext, admission, outgoing, cacheControl };
  mountRest(app, document, transport);
  mountRpc(app, transport);
  mountDocs(app, document);
  mountPage(app);
  return app;
}

/** Keeps a caller's own id where it is safe to log. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Answers 404 for an unknown path, and 405 with `Allow` for another method, before a body is read. */
function refuseUnknown(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const path = request.url.split('?', 1)[0] ?? '';
    const answers = RPC_PATH.test(path) || app.findRoute({ method: 'GET', url: path }) !== null;
    if (!answers || request.method === 'GET' || request.method === 'HEAD')
      return done(new AppError('NOT_FOUND', 'There is nothing at this path; see /docs'));
    reply.header('allow', 'GET, HEAD');
    done(new AppError('METHOD_NOT_SUPPORTED', 'This path answers GET and HEAD'));
  });
}

function corsOptions(origins: readonly string[]) {
  return {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD'],
    exposedHeaders: [
      'content-disposition',
      'etag',
      'link',
      ...RATE_LIMIT_HEADERS,
      'retry-after',
      'www-authenticate',
      'x-request-id',
    ],
    maxAge: 600,
    strictPreflight: false,
  };
}
