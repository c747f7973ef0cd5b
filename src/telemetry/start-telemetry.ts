// Starts the metrics and the traces of the service. Loads each only if it is configured.
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { Watcher } from '../http/request-accounting.ts';
import type { Findings } from './background-checks.ts';

interface Options {
  readonly HOST: string;
  readonly METRICS_PORT?: number | undefined;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
}

/**
 * @returns watchers for the app, the database with traced statements, and a function that stops the telemetry
 * @throws Error that names METRICS_PORT if the port is taken
 */
export async function startTelemetry(
  { HOST: host, METRICS_PORT: port, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: Options,
  { db, latest }: { db: Database; latest: () => Findings | undefined },
  log: Logger,
  version: string,
) {
  const watchers: Watcher[] = [];
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of closers) await closeOne();
  };
  if (port !== undefined) {
    const { createMetrics } = await import('./metrics.ts');
    const { serveMetrics } = await import('./metrics-server.ts');
    const metrics = createMetrics(version, latest);
    const server = await serveMetrics(metrics, { host, port, log });
    watchers.push(metrics.watch);
    closers.push(server.close);
  }
  if (!endpoint) return { db, watchers, close };
  const { createTracing } = await import('./tracing.ts');
  const tracing = createTracing(version, log);
  watchers.push(tracing.watch);
  closers.push(tracing.close);
  return { db: tracing.traceDatabase(db), watchers, close };
}
