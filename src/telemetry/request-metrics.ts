// The metrics of requests, which are counted as they end.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callsOf, operationOf, transportOf } from '../http/request-accounting.ts';
import { counter, gauge, histogram, type Room } from './instruments.ts';

/** As nginx counts a caller who left before the answer was sent. */
const CALLER_LEFT = 499;

/** What is counted of one operation on one transport. Plain numbers: a labelled metric costs a microsecond a time. */
interface Tally {
  readonly operation: string;
  readonly transport: string;
  running: number;
  bytes: number;
  points: number;
}

export function watchRequests(room: Room, app: FastifyInstance): void {
  const durations = histogram(
    room,
    'request_duration_seconds',
    'Calls of operations, by how they ended and how long they took to the last byte; 499: the caller left',
    'operation',
    'transport',
    'status',
  );
  const labels = ['operation', 'transport'];
  const running = gauge(room, 'requests_in_flight', 'Requests that are being answered', ...labels);
  const bytes = counter(room, 'response_bytes_total', 'Bytes sent, compressed ones as sent', ...labels);
  const points = counter(room, 'response_points_total', 'Points sent', ...labels);
  const exports = gauge(room, 'exports_running', 'Exports that are being answered or wait for their turn');

  const tallies = new Map<string, Tally>();
  const tallyOf = (operation: string, transport: string) => {
    const key = `${transport} ${operation}`;
    const known = tallies.get(key);
    if (known) return known;
    const tally: Tally = { operation, transport, running: 0, bytes: 0, points: 0 };
    tallies.set(key, tally);
    return tally;
  };
  const sentBefore = new WeakMap<object, number>();

  /** Also of an answer that broke off, for which there is no hook. */
  const onEnd = (request: FastifyRequest, reply: FastifyReply) => {
    const transport = transportOf(request);
    const tally = tallyOf(operationOf(request), transport);
    tally.running--;
    // by the socket, so that heads, codings, and what was sent before an answer broke off count as they were
    const { socket } = request.raw;
    const sent = socket.bytesWritten ?? 0;
    tally.bytes += sent - (sentBefore.get(socket) ?? 0);
    sentBefore.set(socket, sent);
    for (const call of callsOf(request)) {
      const { operation, ms = reply.elapsedTime } = call;
      durations.observe({ operation, transport, status: statusOf(reply, call.status) }, ms / 1000);
      if (hasBody(request, reply)) tallyOf(operation, transport).points += call.points;
    }
  };
  app.addHook('onRequest', (request, reply, done) => {
    request.calls = [];
    tallyOf(operationOf(request), transportOf(request)).running++;
    reply.raw.once('close', () => onEnd(request, reply));
    done();
  });
  room.readings.push(() => {
    let exporting = 0;
    for (const metric of [running, bytes, points]) metric.reset();
    for (const { operation, transport, ...tally } of tallies.values()) {
      running.set({ operation, transport }, tally.running);
      bytes.inc({ operation, transport }, tally.bytes);
      points.inc({ operation, transport }, tally.points);
      if (operation.startsWith('export.')) exporting += tally.running;
    }
    exports.set(exporting);
  });
}

function statusOf({ statusCode, raw }: FastifyReply, ofCall = statusCode): number {
  if (!raw.writableFinished) return CALLER_LEFT;
  return statusCode === 304 ? 304 : ofCall;
}

function hasBody({ method }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return method !== 'HEAD' && statusCode !== 304;
}
