// Overload: refuses requests while the process has too much work.
import { totalmem } from 'node:os';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';
import { operationOf } from '../request-accounting.ts';

export interface OverloadOptions {
  /** A mean delay of the event loop above this, in milliseconds, is overload; 0 for never. */
  readonly maxEventLoopDelayMs?: number;
  /** Memory in use above this, in bytes, is overload. Default 80 % of the available memory. */
  readonly maxMemoryBytes?: number;
  readonly overloadLookMs?: number;
}

/** A refused liveness probe would end the process, and a refused page cannot retry. */
const SPARED: ReadonlySet<string> = new Set(['health.live', 'docs']);

export async function refuseOverload(
  app: FastifyInstance,
  {
    maxEventLoopDelayMs = 1000,
    maxMemoryBytes = 0.8 * Math.min(process.constrainedMemory() || Infinity, totalmem()),
    overloadLookMs = 5000, // longer than a stall: time without a sample counts as endless delay
  }: OverloadOptions,
): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    sampleInterval: overloadLookMs,
    healthCheck: async () => memoryInUse() <= maxMemoryBytes,
    healthCheckInterval: overloadLookMs,
    pressureHandler: async (request) => {
      if (!SPARED.has(operationOf(request)))
        throw new AppError('SERVICE_UNAVAILABLE', 'The service is overloaded; try again');
    },
  });
}

/** Not the resident memory, which the process may keep after a peak. */
function memoryInUse(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}
