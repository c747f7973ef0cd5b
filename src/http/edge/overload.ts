// Overload: refuses requests while the process has too much work.
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';
import { operationOf } from '../request-accounting.ts';

export interface OverloadOptions {
  /** Overload begins above this mean delay of the event loop, in milliseconds; 0 for never. */
  readonly maxEventLoopDelayMs?: number;
  readonly overloadLookMs?: number;
}

/** A person notices a wait of a second, and a probe with a short time limit begins to fail. */
const MAX_EVENT_LOOP_DELAY_MS = 1000;

/** Never refused: a failed liveness probe would end the process, and a page cannot retry. */
const SPARED: ReadonlySet<string> = new Set(['health.live', 'docs']);

export async function refuseOverload(
  app: FastifyInstance,
  {
    maxEventLoopDelayMs = MAX_EVENT_LOOP_DELAY_MS,
    overloadLookMs = 5000, // longer than a stall, because an interval without a sample counts as endless delay
  }: OverloadOptions,
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
