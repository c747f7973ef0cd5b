// The request metrics, counted as requests end, and the instruments of all metrics.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DEFAULT_STATION, MOST_LABELLED } from '../contract/station.ts';
import { callsOf, operationOf, transportOf } from '../http/request-accounting.ts';

/** The status that nginx logs if a client disconnects before the response. */
const CALLER_LEFT = 499;

export function addRequestMetrics(metrics: Instruments, app: FastifyInstance): void {
  const durations = metrics.histogram(
    'request_duration_seconds',
    'Time until the last byte of each call. Status 499 means the client disconnected first',
    'operation',
    'transport',
    'status',
    'station',
  );
  const labels = ['operation', 'transport', 'station'];
  const running = metrics.gauge('requests_in_flight', 'Requests in progress', ...labels);
  const bytes = metrics.counter('response_bytes_total', 'Bytes sent, after compression', ...labels);
  const points = metrics.counter('response_points_total', 'Points sent', ...labels);
  const exports = metrics.gauge('exports_running', 'Exports in progress or queued');

  const underWay = new Set<FastifyRequest>();
  const stationOf = createStationLabels();
  const labelsOf = (request: FastifyRequest) => ({
    operation: operationOf(request),
    transport: transportOf(request),
    station: stationOf(request),
  });
  const sentBefore = new WeakMap<object, number>();

  /** Also runs after a response that broke off; Fastify has no hook for that. */
  const onEnd = (request: FastifyRequest, reply: FastifyReply) => {
    const labels = labelsOf(request);
    const { transport, station } = labels;
    underWay.delete(request);
    // from the socket: it counts headers, compressed bytes, and what was sent before a response broke off
    const { socket } = request.raw;
    const sent = socket.bytesWritten ?? 0;
    bytes.inc(labels, Math.max(0, sent - (sentBefore.get(socket) ?? 0)));
    sentBefore.set(socket, sent);
    const hasBody = request.method !== 'HEAD' && reply.statusCode !== 304;
    const calls = callsOf(request);
    for (const call of calls) {
      const { operation } = call;
      const ms = calls.length > 1 && call.ms !== undefined ? call.ms : reply.elapsedTime;
      durations.observe({ operation, transport, status: statusOf(reply, call.status), station }, ms / 1000);
      points.inc({ operation, transport, station }, hasBody ? call.points : 0);
    }
  };
  app.addHook('onRequest', (request, reply, done) => {
    request.calls = [];
    underWay.add(request);
    reply.raw.once('close', () => onEnd(request, reply));
    done();
  });
  metrics.readings.push(async () => {
    const { values: ended } = await bytes.get();
    let exporting = 0;
    running.reset();
    for (const { labels } of ended) running.set(labels, 0);
    for (const request of underWay) {
      const labels = labelsOf(request);
      running.inc(labels);
      if (labels.operation.startsWith('export.')) exporting++;
    }
    exports.set(exporting);
  });
}

function statusOf({ statusCode, raw }: FastifyReply, ofCall = statusCode): number {
  if (!raw.writableFinished) return CALLER_LEFT;
  return statusCode === 304 ? 304 : ofCall;
}

/** @returns a function that names a request's station. A name from the client counts only if that station exists */
function createStationLabels() {
  const labels = new Set<string>();
  return ({ station, is404, params }: FastifyRequest): string => {
    const isDefault = !is404 && Object(params).station === undefined;
    const name = station?.name ?? (isDefault ? DEFAULT_STATION : 'unknown');
    if (labels.size < MOST_LABELLED) labels.add(name);
    return labels.has(name) ? name : 'other';
  };
}

export type Instruments = ReturnType<typeof createInstruments>;

/** The bounds of a histogram, from a probe's duration to that of a months-long export. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createInstruments() {
  const register = new Registry();
  /** Each reading updates some of the metrics before a scrape. */
  const readings: (() => void | Promise<void>)[] = [];
  const named = (name: string, help: string, labelNames: string[]) => ({
    name: `audio_metrics_${name}`,
    help,
    labelNames,
    registers: [register],
  });
  return {
    register,
    readings,
    gauge: (name: string, help: string, ...labels: string[]) => new Gauge(named(name, help, labels)),
    counter: (name: string, help: string, ...labels: string[]) => new Counter(named(name, help, labels)),
    histogram: (name: string, help: string, ...labels: string[]) =>
      new Histogram({ ...named(name, help, labels), buckets: BUCKETS_SECONDS }),
  };
}

export function setOrRemove(gauge: Gauge, value: number | undefined): void {
  gauge.remove();
  if (value !== undefined) gauge.set(value);
}
