// Traces: one span per request, with the names of its statements, sent to an OpenTelemetry collector.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Database, Statement } from '../database/database.ts';
import { callsOf, operationOf } from '../http/request-accounting.ts';
import { traceParentOf } from '../http/request-log.ts';

/** How long the last export of spans may take when the service closes. */
const FLUSH_MS = 2000;

/** OpenTelemetry itself reads where and how to send spans: `OTEL_EXPORTER_OTLP_*` in the environment. */
export function createTracing(version: string, log: Logger) {
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'audio-metrics', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })), // OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES
    spanProcessors: [new BatchSpanProcessor({ exporter: loggingFailures(new OTLPTraceExporter(), log) })],
  });
  const tracer = provider.getTracer('audio-metrics', version);
  const statements = new AsyncLocalStorage<Set<string>>();
  const note = ({ name, label = name }: Statement) => label && statements.getStore()?.add(label);
  return {
    watch(app: FastifyInstance): void {
      app.addHook('onRequest', (request, reply, done) => {
        request.calls ??= [];
        const span = tracer.startSpan(nameOf(request), { kind: SpanKind.SERVER }, contextOf(request));
        const { traceId: trace_id, spanId: span_id } = span.spanContext();
        const ids = traceParentOf(request.headers) ? { span_id } : { trace_id, span_id };
        request.log = reply.log = request.log.child(ids);
        const labels = new Set<string>();
        reply.raw.once('close', () => end(span, request, reply, labels));
        statements.run(labels, done);
      });
    },
    /** @returns a database that adds the names of its statements to the span of their request */
    traceDatabase: ({ copyOut, ...db }: Database): Database => ({
      ...db,
      query(statement, values, signal) {
        note(statement);
        return db.query(statement, values, signal);
      },
      ...(copyOut && {
        copyOut(statement, values, signal) {
          note(statement);
          return copyOut(statement, values, signal);
        },
      }),
    }),
    async close(): Promise<void> {
      await Promise.race([provider.shutdown().catch(() => {}), sleep(FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

/** The name of a span. It must have few distinct values, so it holds the route instead of the path. */
function nameOf(request: FastifyRequest): string {
  const { url: route } = request.routeOptions;
  if (route?.startsWith('/trpc/')) return `${request.method} /trpc/${operationOf(request)}`;
  return route && !request.is404 ? `${request.method} ${route}` : request.method;
}

/** The client's span, from its `traceparent`. */
function contextOf({ headers }: FastifyRequest): Context {
  const parent = traceParentOf(headers);
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, flags: traceFlags } = parent;
  const { tracestate } = headers;
  const traceState = typeof tracestate === 'string' ? { traceState: createTraceState(tracestate) } : {};
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true, ...traceState });
}

/** Sets attributes of OpenTelemetry's HTTP conventions, but not the query of the URL, because it may hold secrets. */
function end(span: Span, request: FastifyRequest, reply: FastifyReply, labels: ReadonlySet<string>): void {
  const { url: route } = request.routeOptions;
  const isWhole = reply.raw.writableFinished;
  span.setAttributes({
    'http.request.method': request.method,
    'url.scheme': request.protocol,
    'url.path': request.url.split('?', 1)[0]?.slice(0, 1024) ?? '',
    ...(route && !request.is404 && { 'http.route': route }),
    ...(isWhole ? { 'http.response.status_code': reply.statusCode } : { 'error.type': 'caller_left' }),
    'audio_metrics.operations': callsOf(request).map(({ operation }) => operation),
    ...(labels.size > 0 && { 'db.query.summary': [...labels].join(', ') }),
  });
  if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Logs when exports start to fail and when they work again, not every failure. */
function loggingFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !failing)
          log.warn(
            { err: result.error },
            'Cannot send traces, so they are dropped: check OTEL_EXPORTER_OTLP_ENDPOINT',
          );
        if (!failed && failing) log.info('Traces are sent again');
        failing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
