// Load shedding: what is too much is refused at once, while there is still time to say so.
import { totalmem } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import { callerOf } from './caller.ts';
import { guardedCalls, operationOf } from './calls.ts';

export interface SheddingOptions {
  /** Above this mean delay of the event loop between two looks, in milliseconds, all but health.live and pages is refused. */
  readonly maxEventLoopDelayMs?: number;
  /** The same for the memory that the process uses, in bytes. Default 80 % of what there is. */
  readonly maxMemoryBytes?: number;
  /** How often is looked, in milliseconds. Default 5 s: one long statement of the embedded database is no overload. */
  readonly lookEveryMs?: number;
}

/** A refused probe would end the process, and a refused page cannot ask again. */
const SPARED: ReadonlySet<string> = new Set(['health.live', 'docs']);

/** So many times is the delay measured before each look. */
const SAMPLES = 20;

/**
 * Refuses with 503 while the process is overloaded. Node's
 * own monitor of the delay takes a fiftieth of the throughput of small answers; how late a timer is costs nothing.
 */
export function shedLoad(
  app: FastifyInstance,
  {
    maxEventLoopDelayMs = 1000,
    maxMemoryBytes = availableMemory() * 0.8,
    lookEveryMs = 5000,
  }: SheddingOptions,
): void {
  const pauseMs = lookEveryMs / SAMPLES;
  let isOverloaded = false;
  let since = performance.now();
  let samples = 0;
  const timer = setInterval(() => {
    const elapsed = performance.now() - since;
    samples++;
    if (elapsed < lookEveryMs) return;
    isOverloaded = elapsed / samples - pauseMs > maxEventLoopDelayMs || memoryInUse() > maxMemoryBytes;
    [since, samples] = [performance.now(), 0];
  }, pauseMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isOverloaded || SPARED.has(operationOf(request))) return done();
    done(new AppError('SERVICE_UNAVAILABLE', 'The service is overloaded; try again'));
  });
}

/** Without what is free within it: memory that was needed once may stay with the process for good. */
function memoryInUse(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}

/** What the process may use: the limit of its container, or the memory of the machine. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

const HEADERS = { limit: 'ratelimit-limit', remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' };
export const RATE_LIMIT_HEADERS: readonly string[] = Object.values(HEADERS);

const WINDOW_MS = 60_000;

/**
 * Refuses with 429 who asks more often than `perMinute`. Each call of a batch counts; probes and the reference do
 * not. Every answer says what is left (draft-ietf-httpapi-ratelimit-headers). One window for all callers, so that
 * nothing is kept of those of the minute before; @fastify/rate-limit took a fifteenth of the throughput.
 */
export function limitRates(app: FastifyInstance, perMinute: number): void {
  const asked = new Map<string, number>();
  let end = 0;
  app.addHook('onRequest', (request, reply, done) => {
    const calls = guardedCalls(request);
    if (calls === 0) return done();
    const now = performance.now();
    if (now >= end) {
      asked.clear();
      end = now + WINDOW_MS;
    }
    const caller = callerOf(request);
    const sum = (asked.get(caller) ?? 0) + calls;
    asked.set(caller, sum);
    const reset = Math.ceil((end - now) / 1000);
    reply.header(HEADERS.limit, perMinute);
    reply.header(HEADERS.remaining, Math.max(perMinute - sum, 0));
    reply.header(HEADERS.reset, reset);
    if (sum <= perMinute) return done();
    reply.header('retry-after', reset);
    done(new AppError('TOO_MANY_REQUESTS', `A caller may ask ${perMinute} times a minute`));
  });
}
