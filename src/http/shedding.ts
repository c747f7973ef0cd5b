// Load shedding: what is too much is refused at once, while there is still time to say so.
import { totalmem } from 'node:os';
import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { callerOf } from './caller.ts';
import { operationOf } from './calls.ts';

export interface SheddingOptions {
  /** Above this mean delay of the event loop between two looks, in milliseconds, all but health.live is refused. */
  readonly maxEventLoopDelayMs?: number;
  /** The same for the memory of the process, in bytes. Default 80 % of what there is. */
  readonly maxMemoryBytes?: number;
  /** How often is looked, in milliseconds. Default 5 s: one long statement of the embedded database is no overload. */
  readonly lookEveryMs?: number;
}

/** Refuses with 503 while the process is overloaded; never `health.live`, or a probe would end the process. */
export async function shedLoad(app: FastifyInstance, options: SheddingOptions): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: options.maxEventLoopDelayMs ?? 1000,
    maxRssBytes: options.maxMemoryBytes ?? availableMemory() * 0.8,
    sampleInterval: options.lookEveryMs ?? 5000,
    pressureHandler: async (request) => {
      if (operationOf(request) !== 'health.live')
        throw new AppError('SERVICE_UNAVAILABLE', 'The service is overloaded; try again');
    },
  });
}

/** What the process may use: the limit of its container, or the memory of the machine. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

const HEADERS = { limit: 'ratelimit-limit', remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' };
export const RATE_LIMIT_HEADERS: readonly string[] = Object.values(HEADERS);

/**
 * Refuses with 429 who asks more often than `perMinute`. Each call of a batch counts; probes and the reference do
 * not. Every answer says what is left (draft-ietf-httpapi-ratelimit-headers).
 */
export async function limitRates(app: FastifyInstance, perMinute: number): Promise<void> {
  await app.register(rateLimit, { global: false });
  const count = app.createRateLimit({ max: perMinute, timeWindow: 60_000, keyGenerator: callerOf });
  app.addHook('onRequest', async (request, reply) => {
    const calls = callsIn(request);
    for (let call = 1; call <= calls; call++) {
      const state = await count(request);
      if (state.isAllowed) return;
      reply.headers({
        [HEADERS.limit]: perMinute,
        [HEADERS.remaining]: state.remaining,
        [HEADERS.reset]: state.ttlInSeconds,
      });
      if (!state.isExceeded) continue;
      reply.header('retry-after', state.ttlInSeconds);
      throw new AppError('TOO_MANY_REQUESTS', `A caller may ask ${perMinute} times a minute`);
    }
  });
}

function callsIn(request: FastifyRequest): number {
  const operation = operationOf(request);
  const operations =
    operation === 'batch' ? (request.params as { path: string }).path.split(',') : [operation];
  return operations.filter((each) => each !== 'docs' && !each.startsWith('health.')).length;
}
