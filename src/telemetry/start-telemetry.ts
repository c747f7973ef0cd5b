// Starts the metrics and the traces of the service. Loads each only if it is configured.
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Watcher } from '../http/request-accounting.ts';
import type { Findings } from './background-checks.ts';

interface Telemetry {
  /** The database, with its statements traced. */
  readonly db: Database;
  readonly watchers: readonly Watcher[];
  close(): Promise<void>;
}

interface Options {
  readonly HOST: string;
  readonly METRICS_PORT?: number | undefined;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
}

/** @throws Error that names METRICS_PORT where it is taken */
export async function startTelemetry(
  options: Options,
  { db, latest }: { db: Database; latest: () => Findings | undefined },
  log: Logger,
  version: string,
): Promise<Telemetry> {
  const metrics = await startMetrics(options, latest, log, version);
  const tracing = options.OTEL_EXPORTER_OTLP_ENDPOINT && (await startTracing(log, version));
  return {
    db: tracing ? tracing.traceDatabase(db) : db,
    watchers: [metrics, tracing].flatMap((each) => (each ? [each.watch] : [])),
    async close() {
      if (metrics) await metrics.close();
      if (tracing) await tracing.close();
    },
  };
}

async function startMetrics(
  { HOST: host, METRICS_PORT: port }: Options,
  latest: () => Findings | undefined,
  log: Logger,
  version: string,
) {
  if (port === undefined) return undefined;
  const [{ createMetrics }, { serveMetrics }] = await Promise.all([
    import('./metrics.ts'),
    import('./metrics-server.ts'),
  ]);
  const metrics = createMetrics(version, latest);
  const { close } = await serveMetrics(metrics, { host, port, log });
  return { watch: metrics.watch, close };
}

async function startTracing(log: Logger, version: string) {
  const { createTracing } = await import('./tracing.ts');
  return createTracing(version, log);
}
