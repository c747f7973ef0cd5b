// Starts the metrics and the traces of the service, and serves the metrics. Loads each only if it is configured.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { listenFault } from '../http/listen.ts';
import type { Watcher } from '../http/request-accounting.ts';
import type { Findings } from './background-checks.ts';
import type { Metrics } from './metrics.ts';

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
    const metrics = createMetrics(version, latest);
    closers.push(await serveMetrics(metrics, { host, port, log }));
    watchers.push(metrics.watch);
  }
  if (!endpoint) return { db, watchers, close };
  const { createTracing } = await import('./tracing.ts');
  const tracing = createTracing(version, log);
  watchers.push(tracing.watch);
  closers.push(tracing.close);
  return { db: tracing.traceDatabase(db), watchers, close };
}

/**
 * Serves GET /metrics on a separate port, apart from the service's clients.
 *
 * @returns a function that ends the listener
 * @throws Error that names METRICS_PORT if the port is taken
 */
async function serveMetrics(
  { scrape, contentType }: Metrics,
  { host, port, log }: { host: string; port: number; log: Logger },
) {
  const server = createServer(async ({ method = '', url = '' }, response) => {
    const refuse = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
    if (url.split('?', 1)[0] !== '/metrics') return refuse(404, 'The metrics are at /metrics');
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return refuse(405, 'This path answers GET and HEAD');
    }
    try {
      const text = await scrape();
      response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text);
    } catch (err) {
      log.error({ err }, 'The metrics cannot be read');
      refuse(500, 'The metrics cannot be read; see the log');
    }
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error) => {
    throw listenFault(error, host, port, 'METRICS_PORT');
  });
  server.unref(); // it ends with the process
  server.on('error', (err) => log.error({ err }, 'The listener for metrics failed'));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The listener for metrics has no port');
  const { port: taken, family, address: ip } = bound;
  log.info(`Metrics are at http://${family === 'IPv6' ? `[${ip}]` : ip}:${taken}/metrics`);
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
}
