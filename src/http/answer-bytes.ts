// Answer bytes: the share of a request in the memory budget, from its calls until its response ends. Cuts off readers
// that hold it too long.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Admission, SlowReaderOptions } from '../load/admission.ts';
import type { FairQueue } from '../load/fair-queue.ts';
import { type Route, routes } from '../operations/internals/routes.ts';
import { callerName, leavingOf } from './edge/caller.ts';

/** For answers without a `limit`: most have fewer. */
const ANSWER_BYTES = 16_384;
/** In JSON, with all digits of a level. */
const POINT_BYTES = 100;
/** 16 KiB a second. A mobile connection in a bad place still reads faster. */
const MIN_READ_RATE = 16_384;

/**
 * Waits until the budget has the bytes of all calls of a request. It takes them at once: if requests held some and
 * waited for others, they could wait for each other. While others wait, the reader of the response must keep up.
 *
 * @throws AppError SERVICE_UNAVAILABLE if too many wait, or if the budget has no bytes in time
 */
export async function holdBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, exports, slowReaders }: Admission,
  calls: readonly { path: string; getRawInput(): Promise<unknown> }[],
): Promise<void> {
  const estimated = calls.map(async ({ path, getRawInput }) => {
    const input = await getRawInput().catch(() => undefined); // the call itself reports it
    return estimates.get(path)?.(input) ?? 0;
  });
  const wanted = (await Promise.all(estimated)).reduce((sum, each) => sum + each, 0);
  const leaving = leavingOf(reply);
  const leave = await bytes.hold(callerName(request), leaving, wanted);
  request.keepBytes = (kept) => leave(leaving.aborted ? 0 : kept);
  const isExport = calls.some(({ path }) => path.startsWith('export.'));
  if (wanted > 0)
    cutSlowReader(reply, isExport ? exports.of(request.station.server()) : bytes, slowReaders, leaving);
}

/** By operation: the bytes of an answer to this input, at most. The procedure itself refuses a bad `limit`. */
const estimates = new Map(Array.from(routes.values(), (route) => [route.name, estimateOf(route)]));

function estimateOf({ input, isStream, isProbe }: Route): (input: unknown) => number {
  const { limit } = z.toJSONSchema(input, { io: 'input' }).properties ?? {};
  if (isStream || isProbe) return () => 0;
  if (typeof limit !== 'object') return () => ANSWER_BYTES;
  return (given) => {
    const { limit: points = limit.default } = Object(given);
    return POINT_BYTES * Math.min(Math.max(Number(points) || 0, 0), limit.maximum ?? 0);
  };
}

/** Cuts off a reader that is slow while others wait in the queue. Time counts only while bytes wait for it. */
function cutSlowReader(
  { raw: response, log }: FastifyReply,
  queue: FairQueue,
  { minReadRate = MIN_READ_RATE, patienceMs = 30_000, lookEveryMs = 1000 }: SlowReaderOptions,
  leaving: AbortSignal,
): void {
  if (leaving.aborted) return;
  const { socket } = response.req; // a pipelined response has none of its own yet
  let [deadline, taken] = [performance.now() + patienceMs, socket.bytesWritten];
  const look = () => {
    const now = performance.now();
    const before = taken;
    taken = socket.bytesWritten;
    const earnedMs = ((taken - before) / minReadRate) * 1000;
    deadline = Math.min(response.writableLength > 0 ? deadline + earnedMs : Infinity, now + patienceMs);
    if (now <= deadline || queue.waiting === 0) return;
    log.warn('An answer was cut off: its client read too slowly while other requests waited');
    socket.destroy();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  leaving.addEventListener('abort', () => clearInterval(timer));
}
